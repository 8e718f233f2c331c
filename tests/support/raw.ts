import { request, type IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";

export type RawAnswer = { status: number; headers: IncomingHttpHeaders; text: string };

type RawRequest = {
  method?: string;
  /** Sent as it stands, however odd. */
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array | Readable;
};

/** A request on a connection of its own that no client has tidied. Resolves also when it was answered before it was sent. */
export async function rawRequest(
  url: string,
  { method = "GET", path, headers = {}, body }: RawRequest,
): Promise<RawAnswer> {
  return await new Promise((resolve, reject) => {
    let answered = false;
    const outgoing = request(url, { method, path, headers, agent: false }, (incoming) => {
      answered = true;
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text: Buffer.concat(chunks).toString(),
        });
        outgoing.destroy();
      });
    });
    outgoing.on("error", (error) => (answered ? undefined : reject(error)));
    if (body === undefined || typeof body === "string" || body instanceof Uint8Array) outgoing.end(body);
    else body.on("error", () => {}).pipe(outgoing);
  });
}
