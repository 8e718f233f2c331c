import { Agent, request, type IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";

export type RawResponse = { status: number; headers: IncomingHttpHeaders; text: string };

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
): Promise<RawResponse> {
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

export type UnfinishedRequest = {
  /** What the server answers although the body never ends. */
  answer: Promise<RawResponse>;
  hangUp(): void;
};

/** A request that declares a body of `declaredBytes`, sends `body`, which is less, and waits. */
export function unfinishedRequest(
  url: string,
  asked: {
    method: string;
    path: string;
    headers?: Record<string, string>;
    declaredBytes: number;
    body: string | Uint8Array;
  },
): UnfinishedRequest {
  const { method, path, declaredBytes, body } = asked;
  const headers = { ...asked.headers, "Content-Length": String(declaredBytes) };
  // On a connection that is to close the server answers after the body only.
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
  // A test that expects no answer hangs up, and nobody waits for it then.
  answer.catch(() => {});
  outgoing.write(body);
  return { answer, hangUp: () => outgoing.destroy() };
}
