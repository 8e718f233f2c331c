import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { findSwift } from "../../scripts/test/swift.ts";

/**
 * One S3 server for the whole run, where its programs are on this machine. It is started when the first test wants it,
 * for most runs of a few files do without: TEST_S3 is where to ask for it. PARLANCE_TEST_S3=off leaves it out.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  delete process.env.TEST_S3;
  const swift = findSwift();
  if (process.env.PARLANCE_TEST_S3 === "off" || "missing" in swift) return undefined;

  let keeper: ChildProcess | undefined;
  let place: Promise<string> | undefined;
  const start = async (): Promise<string> => {
    const path = fileURLToPath(new URL("./s3-keeper.ts", import.meta.url));
    keeper = spawn(process.execPath, [path, swift.folder], { stdio: ["pipe", "pipe", "inherit"] });
    const [line = ""] = await once(createInterface(keeper.stdout!), "line");
    const [, word, rest = ""] = /^(ready|failed) (.*)$/s.exec(String(line)) ?? [];
    if (word !== "ready") throw new Error(`The S3 server did not start: ${rest}`);
    return rest;
  };
  const desk = createServer((_request, response) => {
    (place ??= start()).then(
      (text) => response.end(text),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  }).listen(0, "127.0.0.1");
  await once(desk, "listening");
  process.env.TEST_S3 = `http://127.0.0.1:${(desk.address() as AddressInfo).port}`;

  return async () => {
    delete process.env.TEST_S3;
    desk.close();
    desk.closeAllConnections();
    if (keeper === undefined) return;
    const ended = once(keeper, "exit");
    keeper.stdin!.end();
    await ended;
  };
}
