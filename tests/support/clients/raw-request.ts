import { Agent, request, type IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";

export type RawResponse = { status: number; headers: IncomingHttpHeaders; text: string };

type RawRequest = {
  method?: string;
  /** Sent unchanged. */
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array | Readable;
};

/** Sends a request unchanged on a new connection. Resolves even if the response comes before the body is sent. */
export async function rawRequest(
  url: string,
  { method = "GET", path, headers = {}, body }: RawRequest,
): Promise<RawResponse> {
  const isStream = body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array);
  // Node's client frames a stream only for methods that usually have one.
  const framing: Record<string, string> =
    isStream && headers["Content-Length"] === undefined ? { "Transfer-Encoding": "chunked" } : {};
  return await new Promise((resolve, reject) => {
    let answered = false;
    // Keep-alive by default, as in browsers.
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

export type UnfinishedRequest = {
  /** The response, although the body never ends. */
  answer: Promise<RawResponse>;
  disconnect(): void;
};

/** Sends a request that declares `declaredBytes` but sends only `body`, and waits. */
export function unfinishedRequest(
  url: string,
  options: {
    method: string;
    path: string;
    headers?: Record<string, string>;
    declaredBytes: number;
    body: string | Uint8Array;
  },
): UnfinishedRequest {
  const { method, path, declaredBytes, body } = options;
  const headers = { ...options.headers, "Content-Length": String(declaredBytes) };
  // Without keep-alive the server responds only after the body.
  const agent = new Agent({ keepAlive: true });
  const outgoing = request(url + path, { method, headers, agent });
  const answer = new Promise<RawResponse>((resolve, reject) => {
    outgoing.on("error", reject);
    outgoing.on("response", (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      incoming.on("end", () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }),
      );
    });
  });
  // A test that expects no response disconnects and does not await this.
  answer.catch(() => {});
  outgoing.write(body);
  return { answer, disconnect: () => outgoing.destroy() };
}
