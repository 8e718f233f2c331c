import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { AppError } from "../lib/errors.ts";
import type { FileResponse } from "../lib/route.ts";

/**
 * The bytes of a request body as they arrive. Throws `client-gone` if the body is incomplete: the client disconnected,
 * or sent nothing for `stalledMs`.
 */
export async function* arrivingBytes(
  incoming: IncomingMessage,
  stalledMs: number,
): AsyncGenerator<Uint8Array> {
  const stalled = new AppError("client-gone", { cause: new Error("nothing was received for a while") });
  const waitForMore = () => setTimeout(() => incoming.destroy(stalled), stalledMs);
  let timer = waitForMore();
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      // The time that the consumer takes does not count.
      clearTimeout(timer);
      yield chunk as Uint8Array;
      timer = waitForMore();
    }
    if (!incoming.complete) throw new AppError("client-gone");
  } catch (cause) {
    throw cause instanceof AppError ? cause : new AppError("client-gone", { cause });
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Writes a file with backpressure, and disconnects a client that reads nothing for `stalledMs`. If the file fails in
 * the middle or is shorter than its `Content-Length`, the connection is closed, so that no reader mistakes a part for
 * the whole file. Errors of `answer.open` are thrown before anything is sent.
 */
export async function writeBytes(
  outgoing: ServerResponse,
  answer: FileResponse,
  options: { headers: Record<string, string>; stalledMs: number; signal: AbortSignal },
): Promise<void> {
  const source = await answer.open?.(options.signal);
  outgoing.writeHead(answer.status, { ...options.headers, ...answer.headers });
  if (source === undefined) return void outgoing.end();
  outgoing.setTimeout(options.stalledMs, () => outgoing.destroy());
  const contentLength = answer.headers["Content-Length"];
  if (contentLength === undefined) return await pipeline(source, outgoing, { signal: options.signal });
  await pipeline(source, requireBytes(Number(contentLength)), outgoing, { signal: options.signal });
}

/** Throws at the end of a source that is too short: a reader would take the next response for the missing bytes. */
function requireBytes(contentLength: number) {
  return async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let count = 0;
    for await (const chunk of source) {
      count += chunk.length;
      yield chunk;
    }
    if (count < contentLength) throw new Error(`the file has ${count} bytes instead of ${contentLength}`);
  };
}
