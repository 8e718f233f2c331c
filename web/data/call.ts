import type { ResponseOf, Api, BodyInputOf, EndpointName, ParamsOf, QueryInputOf } from "#contract/api.ts";
import type { AppEndpoint } from "#contract/paths.ts";
import type { Credentials } from "./session/credentials.ts";
import { responseError, CallError, networkError } from "./call-error.ts";
import { requestLineOf } from "./request-line.ts";
import { isOwnOrigin } from "./session/base-url.ts";
import { recordServiceTime } from "./session/service-clock.ts";

/** The endpoints that return one JSON object. */
export type JsonEndpoint = { [N in AppEndpoint]: Api[N]["kind"] extends "json" ? N : never }[AppEndpoint];

type Optional<Key extends string, Value> = [Value] extends [undefined]
  ? { [K in Key]?: never }
  : { [K in Key]: Value };
export type CallInput<N extends EndpointName> = Optional<"params", ParamsOf<N>> &
  Optional<"query", QueryInputOf<N>> &
  Optional<"body", BodyInputOf<N>>;

/** Calls an endpoint of the contract and returns its response body. Throws `CallError`, or the signal's reason. */
export type Call = <N extends JsonEndpoint>(
  name: N,
  input: CallInput<N>,
  signal?: AbortSignal,
) => Promise<ResponseOf<N>>;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export const pageFetch: Fetch = async (url, init) => await window.fetch(url, init);

/**
 * Creates the client of the service. If the server refuses the credentials, they are renewed and the call is repeated
 * once.
 */
export function createCall(options: { baseUrl: string; fetch: Fetch; credentials: Credentials }): Call {
  const { credentials } = options;
  return async (name, input, signal) => {
    const url = options.baseUrl + urlOf(name, input);
    const init: RequestInit = {
      method: requestLineOf(name).method,
      ...(isKeptAlive(name) ? { keepalive: true } : {}),
      ...bodyOf(input.body),
      ...(signal === undefined ? {} : { signal }),
    };
    return await readJson(
      await withRenewal(credentials, async (headers) => await attempt(options, url, init, headers)),
    );
  };
}

/** Whether a request completes even if the page is closed meanwhile: deletions, and what a page stores as it closes. */
function isKeptAlive(name: JsonEndpoint): boolean {
  return requestLineOf(name).method === "DELETE" || name === "threads.update" || name === "threads.setPanel";
}

/** Sends a request; if the session has ended, renews it and sends the request again. */
export async function withRenewal<Outcome>(
  credentials: Credentials,
  send: (headers: Record<string, string>) => Promise<Outcome>,
): Promise<Outcome> {
  const headers = credentials.current() ?? (await credentials.headers());
  const outcome = await send(headers);
  if (!isSessionLost(outcome)) return outcome;
  await credentials.renew(headers);
  return await send(await credentials.headers());
}

/** 60 s until the response headers; after that the connection is considered dead. */
const timeoutMs = 60_000;

/** Sends one request with the headers that all requests of the app have. A network failure becomes a `CallError`. */
export async function attempt(
  options: { baseUrl: string; fetch: Fetch },
  url: string,
  init: RequestInit,
  headers: Record<string, string>,
): Promise<Response | CallError> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const isOwn = isOwnOrigin(options.baseUrl);
  try {
    const response = await options.fetch(url, {
      ...init,
      signal: AbortSignal.any([timeout.signal, ...(init.signal == null ? [] : [init.signal])]),
      headers: { ...headersOf(init), ...headers, ...(isOwn ? clientHeader : {}) },
      // Another origin gets only the bearer token.
      credentials: isOwn ? "same-origin" : "omit",
      cache: "no-store",
    });
    recordServiceTime(response.headers.get("Date"));
    return response.ok ? response : await responseError(response);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    return networkError(error);
  } finally {
    clearTimeout(timer);
  }
}

/** The server accepts the session cookie only with this header, which pages of other origins cannot send. */
export const clientHeader = { "Parlance-Client": "web" };

const sessionLostCodes = new Set([
  "not-signed-in",
  "token-expired",
  "invalid-token",
  "unsupported-credential",
  "unsupported-scheme",
]);

export function isSessionLost(outcome: unknown): boolean {
  return outcome instanceof CallError && sessionLostCodes.has(outcome.failure.code);
}

export async function readJson<Answer>(outcome: Response | CallError): Promise<Answer> {
  if (outcome instanceof CallError) throw outcome;
  try {
    return (await outcome.json()) as Answer;
  } catch (error) {
    throw networkError(error);
  }
}

export function urlOf(name: JsonEndpoint, input: { params?: unknown; query?: unknown }): string {
  const params = (input.params ?? {}) as Record<string, string>;
  const path = requestLineOf(name).path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(params[key] ?? ""),
  );
  const pairs = Object.entries((input.query ?? {}) as Record<string, string | undefined>);
  const query = new URLSearchParams(
    pairs.filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString();
  return query === "" ? path : `${path}?${query}`;
}

export function bodyOf(body: unknown): Pick<RequestInit, "body" | "headers"> {
  return body === undefined
    ? {}
    : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
}

function headersOf(init: RequestInit): Record<string, string> {
  return (init.headers ?? {}) as Record<string, string>;
}
