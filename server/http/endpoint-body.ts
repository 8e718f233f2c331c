import type { IncomingMessage } from "node:http";
import type { Endpoint } from "#contract/endpoint.ts";
import { limits } from "#contract/limits.ts";
import { badRequest } from "../lib/errors.ts";
import type { BodyMemory } from "./body-memory.ts";
import { parseJson, readBytes, type BodyBounds } from "./body.ts";
import { createValueCounter } from "./count-values.ts";
import { readExport } from "./otlp-body.ts";
import { parse } from "./parse.ts";

/**
 * Reads the body that an endpoint wants: `undefined` where it wants none. The memory of the body counts for `limitKey`
 * until `release` is called, which whoever answers does when the body is no longer needed.
 */
export type ReadBody = (
  incoming: IncomingMessage,
  endpoint: Endpoint,
  limitKey: string | undefined,
) => Promise<{ body: unknown; release: () => void }>;

/** Larger bodies are parsed in one turn of the event loop and used in another, so that others are answered in between. */
const parsedAtOnceBytes = 16 * 1024;

/** `bodyMs`: how long a body may take that may have so many bytes. */
export function createBodyReader(options: {
  memory: BodyMemory;
  bodyMs: (bytesMax: number) => number;
}): ReadBody {
  let turn: Promise<void> = Promise.resolve();

  /** Resolves in a turn of the event loop that no other large body has. */
  async function ownTurn(): Promise<void> {
    turn = turn.then(() => new Promise((resolve) => setImmediate(resolve)));
    await turn;
  }

  async function read(
    incoming: IncomingMessage,
    endpoint: Endpoint,
    take: (bytes: number) => void,
  ): Promise<unknown> {
    const bytesMax = endpoint.bodyBytesMax ?? limits.bodyBytes;
    const bounds: BodyBounds = {
      bytesMax,
      withinMs: options.bodyMs(bytesMax),
      admit: (piece) => take(piece.length),
    };
    if (endpoint.bodyFormat === "otlp") {
      const exported = await readExport(incoming, bounds);
      return exported.encoding === "json" ? parse(endpoint.body!, exported.json, "body") : exported;
    }
    const count = createValueCounter();
    const bytes = await readBytes(incoming, {
      ...bounds,
      admit(piece) {
        bounds.admit(piece);
        if (count(piece) > limits.jsonValues)
          throw badRequest("body", `must hold at most ${limits.jsonValues} values`);
      },
    });
    const isLarge = bytes.length > parsedAtOnceBytes;
    if (isLarge) await ownTurn();
    const json = parseJson(bytes);
    if (isLarge) await ownTurn();
    return parse(endpoint.body!, json, "body");
  }

  return async (incoming, endpoint, limitKey) => {
    if (endpoint.body === undefined || endpoint.bodyFormat === "bytes")
      return { body: undefined, release: () => {} };
    const { take, release } = options.memory.reserve(limitKey);
    try {
      return { body: await read(incoming, endpoint, take), release };
    } catch (error) {
      release();
      throw error;
    }
  };
}

/** How long a body of an endpoint may take to arrive: some seconds, and more where it may be large. */
export function bodyMsFor(bytesMax: number): number {
  return limits.bodyMs + (Math.max(0, bytesMax - limits.bodyBytes) / limits.bodyBytesPerSecond) * 1000;
}
