import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "#contract/errors.ts";
import { AppError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import { dialAddress, resolveName, type Dial, type Resolve } from "./connect.ts";
import { openConnection } from "./request-connection.ts";
import { readBody, sendRequest, TooManyBytesError } from "./exchange.ts";
import { parseTarget, type Target } from "./target.ts";

export type FetchRequest = {
  /** As a person entered it. */
  url: string;
  /** The request field with the URL, for error messages: `body.file_url`. */
  field: string;
  /** The accepted media types. Responses without a type, or with that of any bytes, are accepted too. */
  types: readonly string[];
  bytesMax: number;
  signal: AbortSignal;
};

export type Fetched = {
  bytes: Buffer;
  contentType: string | undefined;
  /** The encoding that the response names, if any. */
  charset: string | undefined;
  /** The URL after all redirects. */
  url: string;
};

/**
 * Fetches a URL that a person entered; the server fetches such URLs only with this function. For every redirect, the
 * network address of the real connection is checked again. The request contains no cookie, no credential and no address
 * of a person. Throws `fetching-off`, `address-not-allowed`, `address-unreachable`, `address-refused`,
 * `fetched-wrong-type` and `fetched-too-large`, each naming the field, and the signal's reason when it aborts.
 */
export type GuardedFetch = (request: FetchRequest) => Promise<Fetched>;

export type GuardedFetchOptions = {
  logger: Pick<Logger, "info">;
  /** Whether anything is fetched at all. */
  enabled: boolean;
  /** Hosts in the operator's own network that are allowed, as `host` or `host:port`. */
  allowedHosts: readonly string[];
  /** For the whole fetch with redirects. Default 60 s: 25 MiB at 3.5 Mbit/s. */
  timeoutMs?: number;
  /** For tests. */
  resolve?: Resolve;
  dial?: Dial;
};

const defaultTimeoutMs = 60_000;
const redirectsMax = 5;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);
const genericTypes = new Set(["application/octet-stream", "binary/octet-stream", "application/x-download"]);

export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { logger, enabled, allowedHosts, resolve = resolveName, dial = dialAddress } = options;

  async function fetchWithRedirects(request: FetchRequest, signal: AbortSignal): Promise<Fetched> {
    let target = parseTarget(request.url, allowedHosts, request.field);
    for (let hop = 0; hop <= redirectsMax; hop++) {
      const connection = await openConnection(target, { resolve, dial, signal });
      try {
        const headers = { Accept: [...request.types, "*/*;q=0.1"].join(", ") };
        const response = await sendRequest(connection, target, { headers });
        const next = redirectOf(response, target);
        if (next === undefined) return await readResponse(response, request, target.url);
        target = parseTarget(next, allowedHosts, request.field);
      } finally {
        connection.close();
      }
    }
    throw fetchError("address-refused", request, `must not redirect more than ${redirectsMax} times`);
  }

  return async (request) => {
    if (!enabled) throw fetchError("fetching-off", request, "cannot be fetched by this server");
    const timeout = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs);
    try {
      return await fetchWithRedirects(request, AbortSignal.any([request.signal, timeout]));
    } catch (error) {
      request.signal.throwIfAborted();
      if (error instanceof AppError) throw error;
      if (error instanceof TooManyBytesError)
        throw fetchError("fetched-too-large", request, `must lead to at most ${request.bytesMax} bytes`);
      // The same error for an unknown host, a private address and a closed port: it reveals nothing about the network.
      logger.info({ err: error, host: hostOf(request.url) }, "a URL could not be fetched");
      throw fetchError("address-unreachable", request, "must lead to a server that answers in time", error);
    }
  };
}

async function readResponse(response: IncomingMessage, request: FetchRequest, url: URL): Promise<Fetched> {
  const { statusCode: status = 0, headers } = response;
  if (status < 200 || status > 299 || status === 204 || status === 206)
    throw fetchError("address-refused", request, `must answer 200, not ${status}`);
  const contentType = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  const isAccepted =
    contentType === undefined || request.types.includes(contentType) || genericTypes.has(contentType);
  if (!isAccepted || (headers["content-encoding"] ?? "identity") !== "identity")
    throw fetchError(
      "fetched-wrong-type",
      request,
      `must lead to ${request.types.join(" or ")}, not compressed`,
    );
  const charset = /;\s*charset="?([\w.:-]+)/i.exec(headers["content-type"] ?? "")?.[1]?.toLowerCase();
  return { bytes: await readBody(response, request.bytesMax), contentType, charset, url: url.href };
}

/** The URL of a redirect, not checked yet. */
function redirectOf(response: IncomingMessage, { url }: Target): URL | string | undefined {
  const { statusCode = 0, headers } = response;
  if (!redirectStatuses.has(statusCode) || headers.location === undefined) return undefined;
  return URL.canParse(headers.location, url) ? new URL(headers.location, url) : headers.location;
}

function fetchError(code: ErrorCode, { field }: FetchRequest, message: string, cause?: unknown): AppError {
  return new AppError(code, { details: [{ path: field, message }], cause });
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
