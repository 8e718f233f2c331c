import { lookup } from "node:dns/promises";
import { connect } from "node:net";
import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "#contract/errors.ts";
import { AppError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { connectTo, type Dial, type Resolve } from "./connect.ts";
import { ask, bytesOf, TooManyBytesError } from "./exchange.ts";
import { targetOf, type Target } from "./target.ts";

export type FetchRequest = {
  /** As a person gave it. */
  url: string;
  /** The field that it came in, for whoever is told that it cannot be fetched: `body.file_url`. */
  field: string;
  /** The media types that are wanted. What says nothing of its type, or only that it is bytes, is taken too. */
  types: readonly string[];
  bytesMax: number;
  signal: AbortSignal;
};

export type Fetched = { bytes: Buffer; contentType: string | undefined };

/**
 * Reads what stands at an address that a person gave, and is the only way that the server does so. Every hop of a
 * redirect is judged anew, by the network address that is really connected to. No cookie, credential or address of a
 * person goes along. Throws `fetching-off`, `address-not-allowed`, `address-unreachable`, `address-refused`,
 * `fetched-wrong-type` and `fetched-too-large`, each naming the field, and the signal's reason when it aborts.
 */
export type GuardedFetch = (request: FetchRequest) => Promise<Fetched>;

export type GuardedFetchOptions = {
  logger: Pick<Logger, "info">;
  /** Whether anything is fetched at all. */
  enabled: boolean;
  /** Hosts of the operator's own network, `host` or `host:port`, that may be reached all the same. */
  allowedHosts: readonly string[];
  /** All of it, redirects too: 60 s are 25 MiB at 3.5 Mbit/s. */
  timeMs?: number;
  /** For tests: what a name leads to, and how a connection begins. */
  resolve?: Resolve;
  dial?: Dial;
};

const timeMs = 60_000;
const redirectsMax = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);
const anyBytes = new Set(["application/octet-stream", "binary/octet-stream", "application/x-download"]);

export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { logger, enabled, allowedHosts, resolve = resolveName, dial = dialAddress } = options;

  async function followed(request: FetchRequest, signal: AbortSignal): Promise<Fetched> {
    let target = targetOf(request.url, allowedHosts, request.field);
    for (let hop = 0; hop <= redirectsMax; hop++) {
      const socket = await connectTo(target, { resolve, dial, signal });
      const cut = () => socket.destroy(signal.reason as Error);
      signal.addEventListener("abort", cut, { once: true });
      try {
        const answer = await ask(socket, target, [...request.types, "*/*;q=0.1"].join(", "));
        const next = redirectOf(answer, target);
        if (next === undefined) return await readWanted(answer, request);
        target = targetOf(next, allowedHosts, request.field);
      } finally {
        signal.removeEventListener("abort", cut);
        socket.destroy();
      }
    }
    throw told("address-refused", request, `must not redirect more than ${redirectsMax} times`);
  }

  return async (request) => {
    if (!enabled) throw told("fetching-off", request, "cannot be fetched by this server");
    const late = AbortSignal.timeout(options.timeMs ?? timeMs);
    try {
      return await followed(request, AbortSignal.any([request.signal, late]));
    } catch (error) {
      request.signal.throwIfAborted();
      if (error instanceof AppError) throw error;
      if (error instanceof TooManyBytesError)
        throw told("fetched-too-large", request, `must lead to at most ${request.bytesMax} bytes`);
      // One answer for a name that is not there, one that leads inside, and a port that is closed.
      logger.info({ err: error, host: hostOf(request.url) }, "an address that somebody gave was not read");
      throw told("address-unreachable", request, "must lead to a server that answers in time", error);
    }
  };
}

async function readWanted(answer: IncomingMessage, request: FetchRequest): Promise<Fetched> {
  const { statusCode: status = 0, headers } = answer;
  if (status < 200 || status > 299 || status === 204 || status === 206)
    throw told("address-refused", request, `must answer 200, not ${status}`);
  const contentType = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  const wanted =
    contentType === undefined || request.types.includes(contentType) || anyBytes.has(contentType);
  if (!wanted || (headers["content-encoding"] ?? "identity") !== "identity")
    throw told("fetched-wrong-type", request, `must lead to ${request.types.join(" or ")}, not packed`);
  return { bytes: await bytesOf(answer, request.bytesMax), contentType };
}

/** Where the answer sends us, not judged yet. */
function redirectOf(answer: IncomingMessage, { url }: Target): URL | string | undefined {
  const { statusCode = 0, headers } = answer;
  if (!redirectStatuses.has(statusCode) || headers.location === undefined) return undefined;
  return URL.canParse(headers.location, url) ? new URL(headers.location, url) : headers.location;
}

function told(code: ErrorCode, { field }: FetchRequest, message: string, cause?: unknown): AppError {
  return new AppError(code, { details: [{ path: field, message }], cause });
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

async function resolveName(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

function dialAddress(address: string, port: number) {
  return connect({ host: address, port });
}
