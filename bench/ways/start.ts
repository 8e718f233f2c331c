import { setTimeout as sleep } from "node:timers/promises";
import { withFolder } from "../support/services.ts";
import { startProcess } from "../support/process.ts";
import { median, type Bench } from "../support/report.ts";
import { cloneFigures, imageFigures, packageFigures } from "./ways.ts";

const rounds = 7;
const settleMs = 3_000;

const bareServer = `
  const server = require("node:http").createServer((_, answer) => answer.end("ok"));
  server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port));
  process.on("SIGTERM", () => process.exit(0));
`;

/**
 * The time of a second `npm start` and the memory of an idle server, compared with a bare Node server; and size, memory and time
 * of each way to get a server: package, clone and image.
 */
export const start: Bench = {
  about:
    "second start and idle memory, beside a bare Node server; size, memory and time of package, clone and image",
  async run() {
    return await withFolder(async (folder) => {
      const env = { PORT: "0", DATA_DIR: folder, OLLAMA_URL: "off", LOG_LEVEL: "warn" };
      const ours: number[] = [];
      const bare: number[] = [];
      const memory: number[] = [];
      const bareMemory: number[] = [];
      for (let round = -1; round < rounds; round++) {
        const started = await startProcess(["scripts/run.mjs", "start"], env);
        await started.stop();
        const server = await startProcess(["server/main.mjs"], env);
        const other = await startProcess(["-e", bareServer]);
        if (round >= 0) {
          ours.push(started.readyMs);
          bare.push(other.readyMs);
        }
        if (round >= rounds - 2) {
          await sleep(settleMs);
          memory.push(server.residentMiB());
          bareMemory.push(other.residentMiB());
        }
        await server.stop();
        await other.stop();
      }
      return [
        {
          what: "second start until it listens, median",
          unit: "ms",
          ours: median(ours),
          baseline: median(bare),
          against: "a bare server",
          aim: "at most 1 s",
          met: median(ours) <= 1_000,
        },
        {
          what: "idle memory",
          unit: "MiB",
          ours: median(memory),
          baseline: median(bareMemory),
          against: "a bare server",
          aim: "at most 150 MiB",
          met: median(memory) <= 150,
        },
        ...(await packageFigures()),
        ...(await cloneFigures()),
        ...(await imageFigures()),
      ];
    });
  },
};
