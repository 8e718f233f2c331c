import type { IncomingMessage } from "node:http";
import { nestingMax, nestsDeeper } from "#contract/json.ts";
import { AppError, badRequest } from "../../lib/errors.ts";

/** Limits for the rest of a body that is not needed, before its connection is closed: 60 s are 35 MiB at 5 Mbit/s. */
const drainBytesMax = 64 * 1024 * 1024;
const drainMaxMs = 60_000;

/** Smaller chunks come from slow senders or are the end of a body. */
const largeChunkBytes = 16 * 1024;
/** 4 chunks of 64 KiB per 5 ms are 50 MiB/s for all large bodies, which leaves CPU time for other requests. */
const chunksPerTurn = 4;
const turnMs = 5;
/** The bodies that wait for their next chunk, in order. */
const paused: IncomingMessage[] = [];

/**
 * Parses JSON; `undefined` if there is no text, because clients send the content type even without a body. Throws
 * `bad-json` (also for invalid UTF-8), and `bad-request` if it is nested too deeply.
 */
export function parseJson(bytes: Buffer): unknown {
  let value: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    value = text.trim() === "" ? undefined : JSON.parse(text);
  } catch (cause) {
    throw new AppError("bad-json", { cause });
  }
  if (nestsDeeper(value, nestingMax))
    throw badRequest("body", `must not be nested deeper than ${nestingMax} levels`);
  return value;
}

export type BodyLimits = {
  bytesMax: number;
  /** How long the body may take to arrive. */
  timeoutMs: number;
  /** Called with each chunk before it is stored. Throws to refuse the body. */
  checkChunk(chunk: Buffer): void;
};

/**
 * Reads a request's body as a whole. Throws `too-large`, `request-timeout`, `client-gone` and what `checkChunk` throws.
 */
export async function readBytes(
  incoming: IncomingMessage,
  { bytesMax, timeoutMs, checkChunk }: BodyLimits,
): Promise<Buffer> {
  // A destroyed stream emits no more events, so the promise below would only time out.
  if (incoming.destroyed) throw new AppError("client-gone");
  if (Number(incoming.headers["content-length"]) > bytesMax) throw new AppError("too-large");
  return await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (act: () => void) => {
      clearTimeout(timer);
      incoming.off("data", onData).off("end", onEnd).off("error", onClose).off("close", onClose);
      act();
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > bytesMax) throw new AppError("too-large");
        checkChunk(chunk);
        chunks.push(chunk);
        throttle(incoming, chunk);
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks)));
    const onClose = (cause?: Error) => settle(() => reject(new AppError("client-gone", { cause })));
    const timer = setTimeout(() => settle(() => reject(timeoutError())), timeoutMs);
    incoming.on("data", onData).on("end", onEnd).on("error", onClose).on("close", onClose);
  });
}

/**
 * Pauses a fast sender until a later turn of the event loop. Otherwise Node reads up to 2 MiB of each connection in one
 * turn, and many fast senders together delay all other requests.
 */
function throttle(incoming: IncomingMessage, chunk: Buffer): void {
  if (chunk.length < largeChunkBytes) return;
  incoming.pause();
  paused.push(incoming);
  if (paused.length === 1) setImmediate(resumeSome);
}

function resumeSome(): void {
  for (const incoming of paused.splice(0, chunksPerTurn)) incoming.resume();
  if (paused.length > 0) setTimeout(resumeSome, turnMs);
}

/** The response closes the connection, because the server does not read the rest of the body. */
function timeoutError(): AppError {
  return new AppError("request-timeout", { headers: { Connection: "close" } });
}

/**
 * Reads and discards the rest of a body: a client that is disconnected while it sends never sees the response. Resolves
 * when the body has ended, or when it exceeded the limits and its connection is closed.
 */
export async function drain(incoming: IncomingMessage): Promise<void> {
  if (incoming.readableEnded || incoming.destroyed) return;
  // Marks the body as being read. Otherwise Node discards it after the response, without pauses or a limit.
  incoming.read(0);
  let drainedBytes = 0;
  const disconnect = () => incoming.destroy();
  const timer = setTimeout(disconnect, drainMaxMs).unref();
  incoming.on("data", (chunk: Buffer) => {
    drainedBytes += chunk.length;
    if (drainedBytes > drainBytesMax) disconnect();
    else throttle(incoming, chunk);
  });
  await new Promise<void>((resolve) =>
    incoming
      .on("error", () => {})
      .on("end", resolve)
      .on("close", resolve),
  );
  clearTimeout(timer);
}
