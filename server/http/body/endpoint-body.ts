import type { IncomingMessage } from "node:http";
import type { Endpoint } from "#contract/endpoint.ts";
import { limits } from "#contract/limits.ts";
import { badRequest } from "../../lib/errors.ts";
import { validate } from "../validate.ts";
import type { BodyMemory } from "./body-memory.ts";
import { createValueCounter } from "./count-values.ts";
import { readOtlpExport } from "./otlp-body.ts";
import { parseJson, readBytes, type BodyLimits } from "./read-bytes.ts";

/**
 * Reads and validates the body of an endpoint; `undefined` if the endpoint has none. Its memory counts for `limitKey`
 * until the caller calls `release`.
 */
export type ReadBody = (
  incoming: IncomingMessage,
  endpoint: Endpoint,
  limitKey: string | undefined,
) => Promise<{ body: unknown; release: () => void }>;

/** Larger bodies are parsed in their own turn of the event loop, so that other requests can run before and after. */
const parsedAtOnceBytes = 16 * 1024;

/** `timeoutMs`: how long a body may take to arrive if it can have `bytesMax` bytes. */
export function createBodyReader(options: {
  memory: BodyMemory;
  timeoutMs: (bytesMax: number) => number;
}): ReadBody {
  const parseInTurn = createTurnParser();

  async function readJson(
    incoming: IncomingMessage,
    endpoint: Endpoint,
    limitsOfBody: BodyLimits,
  ): Promise<unknown> {
    const count = createValueCounter();
    const bytes = await readBytes(incoming, {
      ...limitsOfBody,
      checkChunk(chunk) {
        limitsOfBody.checkChunk(chunk);
        if (count(chunk) > limits.jsonValues)
          throw badRequest("body", `must hold at most ${limits.jsonValues} values`);
      },
    });
    return validate(endpoint.body!, await parseInTurn(bytes), "body");
  }

  async function readOtlp(
    incoming: IncomingMessage,
    endpoint: Endpoint,
    limitsOfBody: BodyLimits,
  ): Promise<unknown> {
    const exported = await readOtlpExport(incoming, limitsOfBody);
    return exported.encoding === "json" ? validate(endpoint.body!, exported.json, "body") : exported;
  }

  return async (incoming, endpoint, limitKey) => {
    if (endpoint.body === undefined || endpoint.bodyFormat === "bytes")
      return { body: undefined, release: () => {} };
    const { take, release } = options.memory.reserve(limitKey);
    const bytesMax = endpoint.bodyBytesMax ?? limits.bodyBytes;
    const limitsOfBody: BodyLimits = {
      bytesMax,
      timeoutMs: options.timeoutMs(bytesMax),
      checkChunk: (chunk) => take(chunk.length),
    };
    const read = endpoint.bodyFormat === "otlp" ? readOtlp : readJson;
    try {
      return { body: await read(incoming, endpoint, limitsOfBody), release };
    } catch (error) {
      release();
      throw error;
    }
  };
}

/** Parses large JSON bodies one per turn of the event loop, and returns in a later turn. */
function createTurnParser(): (bytes: Buffer) => Promise<unknown> {
  let lastTurn: Promise<void> = Promise.resolve();

  async function nextTurn(): Promise<void> {
    lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)));
    await lastTurn;
  }

  return async (bytes) => {
    if (bytes.length <= parsedAtOnceBytes) return parseJson(bytes);
    await nextTurn();
    const json = parseJson(bytes);
    await nextTurn();
    return json;
  };
}

/** How long a body may take to arrive: some seconds, and more for endpoints with large bodies. */
export function bodyTimeoutMs(bytesMax: number): number {
  return limits.bodyTimeoutMs + (Math.max(0, bytesMax - limits.bodyBytes) / limits.bodyBytesPerSecond) * 1000;
}
