// A minimal file server, the baseline for uploads and downloads.
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";

const folder = mkdtempSync(join(tmpdir(), "parlance-bare-"));
const server = createServer((request, response) => {
  const path = join(folder, basename(request.url ?? ""));
  const work =
    request.method === "PUT"
      ? pipeline(request, createWriteStream(path)).then(() => response.end())
      : pipeline(createReadStream(path), response);
  work.catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  });
