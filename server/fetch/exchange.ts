import { request as sendPlainly, type IncomingMessage } from "node:http";
import { request as sendSecurely } from "node:https";
import type { Connection } from "./request-connection.ts";
import type { Target } from "./target.ts";

/** A server that sends nothing for this long counts as unreachable. */
export const idleTimeoutMs = 15_000;
export const headerBytesMax = 16 * 1024;

/** The response has more bytes than allowed. */
export class TooManyBytesError extends Error {
  override readonly name = "TooManyBytesError";
}

/**
 * Sends a request over this connection, GET without a body, and nothing that identifies the person. Resolves with the
 * headers.
 */
export async function sendRequest(
  { options, isTunnel }: Connection,
  { url, port, secure }: Target,
  { headers, body }: { headers: Record<string, string>; body?: string },
): Promise<IncomingMessage> {
  const isDefaultPort = port === (secure ? 443 : 80);
  return await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = (isTunnel ? sendSecurely : sendPlainly)({
      ...options,
      method: body === undefined ? "GET" : "POST",
      path: `${url.pathname}${url.search}`,
      headers: {
        Host: isDefaultPort ? url.hostname : `${url.hostname}:${port}`,
        ...headers,
        "Accept-Encoding": "identity",
        "User-Agent": "Parlance",
      },
      setHost: false,
      maxHeaderSize: headerBytesMax,
      timeout: idleTimeoutMs,
    });
    outgoing.once("timeout", () => outgoing.destroy(new Error(`no data for ${idleTimeoutMs} ms`)));
    outgoing.on("error", reject);
    outgoing.once("response", resolve);
    outgoing.end(body);
  });
}

/** Up to `bytesMax` bytes of the response's body, and less if it ends or breaks earlier. */
export async function readStart(response: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes >= bytesMax) break;
    }
  } catch {
    // The caller has the status, and what has arrived.
  }
  return Buffer.concat(chunks).subarray(0, bytesMax);
}

/** The response's body. Throws `TooManyBytesError` if it declares or has more than `bytesMax`. */
export async function readBody(response: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (Number(response.headers["content-length"]) > bytesMax) throw new TooManyBytesError();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) throw new TooManyBytesError();
    chunks.push(chunk);
  }
  if (!response.complete) throw new Error("the response is incomplete");
  return Buffer.concat(chunks);
}
