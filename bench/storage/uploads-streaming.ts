import { setTimeout as sleep } from "node:timers/promises";
import { streamUnderLoad, rampMs, windowMs } from "../support/streaming-under-load.ts";
import { startModel, startParlance } from "../support/parlance.ts";
import { startProcess } from "../support/process.ts";
import type { Bench } from "../support/report.ts";

const uploads = 50;
const uploadBytes = 2 * 1024 * 1024;

/** How uploads delay the answers that others read. */
export const uploadsStreaming: Bench = {
  about: `${uploads} uploads of 2 MiB at once, over and over, while 100 runs stream, beside the same runs alone`,
  async run() {
    const model = await startModel();
    const server = await startParlance({
      OPENAI_BASE_URL: `${model.url}/v1`,
      FILES_PER_PERSON_MIB: "0",
      UPLOADS_PER_VISITOR: String(uploads),
    });
    try {
      return await streamUnderLoad(server, "uploads", async () => {
        await sleep(rampMs);
        const uploader = await startProcess(["bench/support/uploader.ts"], {
          SERVER_URL: server.url,
          UPLOADS: String(uploads),
          UPLOAD_BYTES: String(uploadBytes),
        });
        await sleep(windowMs);
        await uploader.stop();
      });
    } finally {
      await server.stop();
      await model.stop();
    }
  },
};
