import type { IncomingMessage } from "node:http";
import { nestingMax, nestsDeeper } from "#contract/json.ts";
import { AppError, badRequest } from "../lib/errors.ts";

/** What may still come of a body that nobody wants, and for how long, before its connection is cut: 60 s are 35 MiB at 5 Mbit/s. */
const drainBytesMax = 64 * 1024 * 1024;
const drainMaxMs = 60_000;

/**
 * The JSON value of a request's body; `undefined` for an empty one, for clients name JSON as the type of no body too.
 * Throws `too-large`, `bad-json` (broken UTF-8 included) and `client-gone`.
 */
export async function readJson(incoming: IncomingMessage, bounds: BodyBounds): Promise<unknown> {
  return parseJson(await readBytes(incoming, bounds));
}

/** The JSON of these bytes. Throws `bad-json`. */
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

/** How much a body may be that is held as a whole, and how long it may take to come. */
export type BodyBounds = { bytesMax: number; withinMs: number };

/** The bytes of a request's body. Throws `too-large`, and `client-gone` also where it does not come in its time. */
export async function readBytes(
  incoming: IncomingMessage,
  { bytesMax, withinMs }: BodyBounds,
): Promise<Buffer> {
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
      if (size <= bytesMax) chunks.push(chunk);
      else settle(() => reject(new AppError("too-large")));
    };
    const end = () => settle(() => resolve(Buffer.concat(chunks)));
    const broke = (cause?: Error) => settle(() => reject(new AppError("client-gone", { cause })));
    const timer = setTimeout(() => broke(new Error("it did not come in its time")), withinMs);
    incoming.on("data", take).on("end", end).on("error", broke).on("close", broke);
  });
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
  });
  await new Promise<void>((resolve) =>
    incoming
      .on("error", () => {})
      .on("end", resolve)
      .on("close", resolve),
  );
  clearTimeout(timer);
}
