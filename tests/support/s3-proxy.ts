import { createServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/**
 * What goes wrong with a request: an answer of this status instead of the bucket's, or the line is cut where so many
 * bytes of the answer have passed; -1: before its first line.
 */
export type InjectedFailure = { status: number; code?: string } | { cutAfterBytes: number };

/** What stands before a bucket and lets requests through, but for those in which it is told to make trouble. */
export type S3Proxy = {
  endpoint: string;
  /** For every request that `when` takes, from now on; the last word counts. Without it all go through. */
  trouble(trouble?: InjectedFailure, when?: (method: string, path: string) => boolean): void;
  /** What was asked, as `GET /bucket/key`. */
  asked: string[];
  close(): void;
};

export async function startS3Proxy(endpoint: string): Promise<S3Proxy> {
  const bucket = new URL(endpoint);
  let now: { trouble: InjectedFailure; when: (method: string, path: string) => boolean } | undefined;
  const asked: string[] = [];

  const door = createServer((request, response) => {
    const { method = "GET", url = "/" } = request;
    asked.push(`${method} ${url}`);
    const trouble = now?.when(method, url) === true ? now.trouble : undefined;
    if (trouble !== undefined && "status" in trouble) refuse(request, response, trouble);
    else pass(request, response, trouble?.cutAfterBytes);
  }).listen(0, "127.0.0.1");
  await once(door, "listening");

  function refuse(
    request: IncomingMessage,
    response: ServerResponse,
    { status, code = "Odd" }: { status: number; code?: string },
  ) {
    request.resume();
    request.on("end", () => response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`));
  }

  function pass(request: IncomingMessage, response: ServerResponse, cutAfterBytes = Infinity) {
    // With the name that it was asked by: it stands in the signature.
    const through = ask(
      {
        host: bucket.hostname,
        port: bucket.port,
        path: request.url,
        method: request.method,
        headers: request.headers,
        setHost: false,
      },
      (answer) => {
        if (cutAfterBytes < 0) return void response.destroy();
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        // Swift sends a body after some heads that have none: it is left unread.
        if (request.method === "HEAD") return void response.end();
        let passed = 0;
        answer.on("data", (chunk: Buffer) => {
          response.write(chunk.subarray(0, Math.max(0, cutAfterBytes - passed)));
          passed += chunk.length;
          if (passed > cutAfterBytes) setImmediate(() => response.destroy());
        });
        answer.on("end", () => passed > cutAfterBytes || response.end());
      },
    );
    through.on("error", () => response.writableEnded || response.destroy());
    response.on("close", () => through.destroy());
    request.pipe(through);
  }

  return {
    endpoint: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    trouble: (trouble, when = () => true) =>
      void (now = trouble === undefined ? undefined : { trouble, when }),
    asked,
    close() {
      door.close();
      door.closeAllConnections();
    },
  };
}
