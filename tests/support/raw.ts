import { Agent, request, type IncomingHttpHeaders } from "node:http";
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
  const isStream = body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array);
  // Node's client frames a stream only for methods that usually have one.
  const framing: Record<string, string> =
    isStream && headers["Content-Length"] === undefined ? { "Transfer-Encoding": "chunked" } : {};
  return await new Promise((resolve, reject) => {
    let answered = false;
    // By default as browsers do: a connection that is to stay.
    const agent = new Agent({ keepAlive: headers.Connection !== "close" });
    const outgoing = request(
      url,
      { method, path, headers: { ...headers, ...framing }, agent },
      (incoming) => {
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
          agent.destroy();
        });
      },
    );
    outgoing.on("error", (error) => (answered ? undefined : reject(error)));
    if (!isStream) outgoing.end(body);
    else body.on("error", () => {}).pipe(outgoing);
  });
}
