import { api, type ResponseOf, type BodyInputOf, type EndpointName } from "#contract/api.ts";
import type { LiveMessage } from "#contract/changes.ts";
import { createLiveDecoder, type EncodedLiveMessage } from "#contract/live-encoding.ts";
import type { Tokens } from "#contract/endpoints/auth.ts";
import type { ErrorCode } from "#contract/errors.ts";
import type { RunEvent } from "#contract/run-events.ts";
import { asDocumented } from "./expect-documented.ts";
import { readEventStream, type EventStream } from "./event-stream.ts";
import { expectProblem } from "./problem.ts";

export type Answer<Body = unknown> = { status: number; headers: Headers; text: string; body: Body };

type Request<N extends EndpointName> = {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean>;
  body?: BodyInputOf<N>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** A user of the API over HTTP, with a credential or without. */
export type Visitor = {
  name: string;
  url: string;
  headers: Record<string, string>;
  /** Calls an endpoint and returns its response. Throws only if the response differs from the API reference. */
  ask<N extends EndpointName>(name: N, request?: Request<N>): Promise<Answer<ResponseOf<N>>>;
  /** Calls an endpoint and returns the body of its response. Throws if it does not succeed. */
  call<N extends EndpointName>(name: N, request?: Request<N>): Promise<ResponseOf<N>>;
  /** Calls an endpoint, and expects this error. */
  fails<N extends EndpointName>(code: ErrorCode, name: N, request?: Request<N>): Promise<void>;
  /** Sends any request with the options of `fetch`. */
  send(method: string, path: string, init?: RequestInit): Promise<Answer>;
  /** Follows a run's log. */
  events(runId: string, after?: number, headers?: Record<string, string>): Promise<EventStream<RunEvent>>;
  /** Follows the workspace's feed and some runs. */
  live(query?: { stream_id?: string; after?: number; runs?: string }): Promise<EventStream<LiveMessage>>;
};

export function visitor(url: string, name: string, headers: Record<string, string>): Visitor {
  async function send(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(url + path, {
      method,
      ...init,
      headers: { ...headers, ...(init.headers as Record<string, string>) },
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }

  async function ask<N extends EndpointName>(endpoint: N, request: Request<N> = {}) {
    const { method } = api[endpoint];
    const answer = await send(method, pathOf(endpoint, request), {
      headers: { "Content-Type": "application/json", ...request.headers },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    asDocumented(endpoint, answer);
    return answer as Answer<ResponseOf<N>>;
  }

  async function stream<Data>(
    path: string,
    more: Record<string, string> = {},
    dataOf?: (json: unknown) => Data,
  ): Promise<EventStream<Data>> {
    const disconnect = new AbortController();
    const response = await fetch(url + path, { headers: { ...headers, ...more }, signal: disconnect.signal });
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return readEventStream<Data>(response, () => disconnect.abort(), dataOf);
  }

  return {
    name,
    url,
    headers,
    send,
    ask,
    async call(endpoint, request) {
      const answer = await ask(endpoint, request);
      if (answer.status >= 300) throw new Error(`${endpoint}: ${answer.status} ${answer.text}`);
      return answer.body;
    },
    fails: async (code, endpoint, request) => void expectProblem(await ask(endpoint, request), code),
    events: async (runId, after, more) =>
      await stream(`/v1/runs/${runId}/events${after === undefined ? "" : `?after=${after}`}`, more),
    async live(query = {}) {
      const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
      const message = createLiveDecoder();
      return await stream(`/v1/live?${search.toString()}`, {}, (json) => message(json as EncodedLiveMessage));
    },
  };
}

/** The path of an endpoint with its encoded parameters and query. */
export function pathOf(
  endpoint: EndpointName,
  request: Pick<Request<EndpointName>, "params" | "query">,
): string {
  const path = api[endpoint].path.replaceAll(/\{(\w+)\}/g, (_, param: string) => {
    const value = request.params?.[param];
    if (value === undefined) throw new Error(`${endpoint} needs ${param}`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams(
    Object.entries(request.query ?? {}).map(([key, value]) => [key, String(value)]),
  );
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

export function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

export function keyHeaders(
  key: string,
  person: { userId: string; workspaceId: string },
): Record<string, string> {
  return { ...bearer(key), "Aui-User-Id": person.userId, "Aui-Workspace-Id": person.workspaceId };
}

let addresses = 0;

/** A new network address, so that limits per address do not affect other visitors. */
export function newAddress(): Record<string, string> {
  addresses += 1;
  return { "X-Forwarded-For": `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}` };
}

/** Creates a guest as the protocol's clients do. */
export async function signUp(url: string): Promise<Tokens> {
  const response = await fetch(`${url}/v1/auth/tokens/anonymous`, { method: "POST", headers: newAddress() });
  if (!response.ok) throw new Error(`sign-up: ${response.status} ${await response.text()}`);
  return (await response.json()) as Tokens;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
