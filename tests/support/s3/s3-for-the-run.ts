import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { findSwift } from "../../../scripts/test/swift.ts";

/**
 * Provides one S3 server for the whole run if Swift is installed. A request to the URL in TEST_S3 starts it if necessary
 * and returns its address, because most runs of a few files do not need it. PARLANCE_TEST_S3=off disables it.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  delete process.env.TEST_S3;
  const swift = findSwift();
  if (process.env.PARLANCE_TEST_S3 === "off" || "missing" in swift) return undefined;

  let child: ChildProcess | undefined;
  let place: Promise<string> | undefined;
  const start = async (): Promise<string> => {
    const path = fileURLToPath(new URL("./s3-process.ts", import.meta.url));
    child = spawn(process.execPath, [path, swift.folder], { stdio: ["pipe", "pipe", "inherit"] });
    const [line = ""] = await once(createInterface(child.stdout!), "line");
    const [, word, rest = ""] = /^(ready|failed) (.*)$/s.exec(String(line)) ?? [];
    if (word !== "ready") throw new Error(`The S3 server did not start: ${rest}`);
    return rest;
  };
  const launcher = createServer((_request, response) => {
    (place ??= start()).then(
      (text) => response.end(text),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  }).listen(0, "127.0.0.1");
  await once(launcher, "listening");
  process.env.TEST_S3 = `http://127.0.0.1:${(launcher.address() as AddressInfo).port}`;

  return async () => {
    delete process.env.TEST_S3;
    launcher.close();
    launcher.closeAllConnections();
    if (child === undefined) return;
    const ended = once(child, "exit");
    child.stdin!.end();
    await ended;
  };
}
