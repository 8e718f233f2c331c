import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { AppError } from "../lib/errors.ts";
import type { ByteAnswer } from "../lib/route.ts";

/**
 * A body as it arrives. Who sends nothing for `stalledMs` is taken for gone. Throws `client-gone`: what came until then
 * is not all of it.
 */
export async function* arrivingBytes(
  incoming: IncomingMessage,
  stalledMs: number,
): AsyncGenerator<Uint8Array> {
  const stalled = new AppError("client-gone", { cause: new Error("nothing came for a while") });
  const waitForMore = () => setTimeout(() => incoming.destroy(stalled), stalledMs);
  let timer = waitForMore();
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      // How long we take with it is not the sender's fault.
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
 * Writes a file at its reader's pace; one that takes nothing for `stalledMs` is cut off. A failure in the middle cuts
 * the connection, so that no one takes a part for the whole; so do fewer bytes than the head promised. Throws what opening it throws, before anything is sent.
 */
export async function writeBytes(
  outgoing: ServerResponse,
  answer: ByteAnswer,
  options: { headers: Record<string, string>; stalledMs: number; signal: AbortSignal },
): Promise<void> {
  const source = await answer.open?.(options.signal);
  outgoing.writeHead(answer.status, { ...options.headers, ...answer.headers });
  if (source === undefined) return void outgoing.end();
  outgoing.setTimeout(options.stalledMs, () => outgoing.destroy());
  const promised = answer.headers["Content-Length"];
  if (promised === undefined) return await pipeline(source, outgoing, { signal: options.signal });
  await pipeline(source, allOf(Number(promised)), outgoing, { signal: options.signal });
}

/** Lets bytes pass, and throws at their end where fewer came: who waits for the rest would take the next answer for it. */
function allOf(promised: number) {
  return async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let count = 0;
    for await (const chunk of source) {
      count += chunk.length;
      yield chunk;
    }
    if (count < promised) throw new Error(`${promised} bytes were promised, and fewer came`);
  };
}
