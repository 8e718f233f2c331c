import type { ResponseOf, Api, BodyInputOf, EndpointName, ParamsOf, QueryInputOf } from "#contract/api.ts";
import { paths } from "#contract/paths.ts";
import type { Credentials } from "./session/credentials.ts";
import { answerError, CallError, networkError } from "./call-error.ts";
import { hearServiceTime } from "./session/service-clock.ts";
import { linkedSignal } from "../lib/linked-signal.ts";

/** The endpoints that answer one JSON object. */
export type JsonEndpoint = { [N in EndpointName]: Api[N]["kind"] extends "json" ? N : never }[EndpointName];

type Given<Key extends string, Value> = [Value] extends [undefined]
  ? { [K in Key]?: never }
  : { [K in Key]: Value };
type Wanted<N extends EndpointName> = Given<"params", ParamsOf<N>> &
  Given<"query", QueryInputOf<N>> &
  Given<"body", BodyInputOf<N>>;

/** Calls an endpoint of the contract and answers what it answered. Throws `CallError`, or the signal's own reason. */
export type Call = <N extends JsonEndpoint>(
  name: N,
  wanted: Wanted<N>,
  signal?: AbortSignal,
) => Promise<ResponseOf<N>>;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * The one way to the service. A credential that the service no longer takes is renewed and the call repeated once, so
 * that a session which ended in mid-use is no matter of the person's.
 */
export function createCall(options: { baseUrl: string; fetch: Fetch; credentials: Credentials }): Call {
  const { credentials } = options;
  return async (name, wanted, signal) => {
    const url = options.baseUrl + addressOf(name, wanted);
    const init: RequestInit = {
      method: paths[name].method,
      ...bodyOf(wanted.body),
      ...(signal === undefined ? {} : { signal }),
    };
    const headers = await credentials.headers();
    const first = await attempt(options, url, init, headers);
    if (!isSessionLost(first)) return await answerOf(first);
    await credentials.renew(headers);
    return await answerOf(await attempt(options, url, init, await credentials.headers()));
  };
}

/** 60 s without the beginning of an answer: the line is dead, and whoever waits may try again. */
const answerMs = 60_000;

/** One request as the web app sends them all. A network failure becomes a `CallError`. */
export async function attempt(
  options: { baseUrl: string; fetch: Fetch },
  url: string,
  init: RequestInit,
  headers: Record<string, string>,
): Promise<Response | CallError> {
  const own = linkedSignal(init.signal ?? undefined);
  const timer = setTimeout(() => own.abort(), answerMs);
  try {
    const response = await options.fetch(url, {
      ...init,
      signal: own.signal,
      headers: { ...headersOf(init), ...headers, ...(options.baseUrl === "" ? clientHeader : {}) },
      // Another origin's service is told who we are by the bearer alone.
      credentials: options.baseUrl === "" ? "same-origin" : "omit",
      cache: "no-store",
    });
    hearServiceTime(response.headers.get("Date"));
    return response.ok ? response : await answerError(response);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    return networkError(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Our own web app says so at its own origin: the cookie counts only beside it, and no page of another one may send it. */
const clientHeader = { "Parlance-Client": "web" };

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

export async function answerOf<Answer>(outcome: Response | CallError): Promise<Answer> {
  if (outcome instanceof CallError) throw outcome;
  try {
    return (await outcome.json()) as Answer;
  } catch (error) {
    throw networkError(error);
  }
}

function addressOf(name: JsonEndpoint, wanted: { params?: unknown; query?: unknown }): string {
  const params = (wanted.params ?? {}) as Record<string, string>;
  const path = paths[name].path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(params[key] ?? ""),
  );
  const given = Object.entries((wanted.query ?? {}) as Record<string, string | undefined>);
  const query = new URLSearchParams(
    given.filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString();
  return query === "" ? path : `${path}?${query}`;
}

function bodyOf(body: unknown): Pick<RequestInit, "body" | "headers"> {
  return body === undefined
    ? {}
    : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
}

function headersOf(init: RequestInit): Record<string, string> {
  return (init.headers ?? {}) as Record<string, string>;
}
