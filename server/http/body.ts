import type { IncomingMessage } from "node:http";
import { nestingMax, nestsDeeper } from "#contract/json.ts";
import { AppError, badRequest } from "../lib/errors.ts";

/** What may still come of a body that nobody wants, and for how long, before its connection is cut: 60 s are 35 MiB at 5 Mbit/s. */
const drainBytesMax = 64 * 1024 * 1024;
const drainMaxMs = 60_000;

/** Smaller pieces come from slow senders, or are the end of a body. */
const largePieceBytes = 16 * 1024;
/** Of many large bodies 4 pieces of 64 KiB are read in 5 ms: 50 MiB/s, which leaves the processor to others. */
const piecesPerTurn = 4;
const crowdedMs = 5;
/** Bodies of all requests that wait for a turn, first come first served. */
const paused: IncomingMessage[] = [];

/**
 * The JSON of these bytes; `undefined` where there are none, since clients name JSON as the type of no body too. Throws
 * `bad-json` (broken UTF-8 included), and `bad-request` where it is nested too deeply.
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

export type BodyBounds = {
  bytesMax: number;
  /** How long the body may take to arrive. */
  withinMs: number;
  /** Sees each piece of the body before it is kept, and throws where it must not be. */
  admit(piece: Buffer): void;
};

/**
 * The bytes of a request's body, which is read as a whole. Throws `too-large`, `request-timeout`, `client-gone` and
 * what `admit` throws.
 */
export async function readBytes(
  incoming: IncomingMessage,
  { bytesMax, withinMs, admit }: BodyBounds,
): Promise<Buffer> {
  // Its events have passed: nothing would end the wait but its time.
  if (incoming.destroyed) throw new AppError("client-gone");
  if (Number(incoming.headers["content-length"]) > bytesMax) throw new AppError("too-large");
  return await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (act: () => void) => {
      clearTimeout(timer);
      incoming.off("data", take).off("end", end).off("error", broke).off("close", broke);
      act();
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > bytesMax) throw new AppError("too-large");
        admit(chunk);
        chunks.push(chunk);
        giveWay(incoming, chunk);
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const end = () => settle(() => resolve(Buffer.concat(chunks)));
    const broke = (cause?: Error) => settle(() => reject(new AppError("client-gone", { cause })));
    const timer = setTimeout(() => settle(() => reject(tooSlow())), withinMs);
    incoming.on("data", take).on("end", end).on("error", broke).on("close", broke);
  });
}

/**
 * Reads on in the next turn of the event loop. Otherwise Node reads up to 2 MiB of each connection in one turn, and many
 * fast senders together hold up everybody else.
 */
function giveWay(incoming: IncomingMessage, piece: Buffer): void {
  if (piece.length < largePieceBytes) return;
  incoming.pause();
  paused.push(incoming);
  if (paused.length === 1) setImmediate(resumeSome);
}

function resumeSome(): void {
  for (const incoming of paused.splice(0, piecesPerTurn)) incoming.resume();
  if (paused.length > 0) setTimeout(resumeSome, crowdedMs);
}

/** Its connection ends with the answer: nobody waits for the rest. */
function tooSlow(): AppError {
  return new AppError("request-timeout", { headers: { Connection: "close" } });
}

/**
 * Reads what is left of a body and throws it away: a sender that is cut off in the middle never sees the answer.
 * Resolves when it has ended, or was too much and its connection is cut.
 */
export async function drain(incoming: IncomingMessage): Promise<void> {
  if (incoming.readableEnded || incoming.destroyed) return;
  let drained = 0;
  const cut = () => incoming.destroy();
  const timer = setTimeout(cut, drainMaxMs).unref();
  incoming.on("data", (chunk: Buffer) => {
    drained += chunk.length;
    if (drained > drainBytesMax) cut();
    else giveWay(incoming, chunk);
  });
  await new Promise<void>((resolve) =>
    incoming
      .on("error", () => {})
      .on("end", resolve)
      .on("close", resolve),
  );
  clearTimeout(timer);
}
