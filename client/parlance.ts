import type { Api, BodyInputOf, EndpointName, ParamsOf, QueryInputOf, ResponseOf } from "../contract/api.ts";
import type { LiveMessage } from "../contract/changes.ts";
import { messagesOf } from "./server-sent-events.ts";

/** Where the server is, and the headers with the caller's credential, which are read before each request. */
export type Connection = {
  baseUrl: string;
  headers(): Promise<Record<string, string>> | Record<string, string>;
};

/** An `AssistantCloud`, whose address and credential are used. */
export type Cloud = {
  runs: {
    __internal_getAssistantOptions(assistantId: string): {
      api: string;
      headers(): Promise<Record<string, string>>;
    };
  };
};

type RouteOf<Name extends EndpointName> = `${Api[Name]["method"]} ${Api[Name]["path"]}`;
type JsonEndpoints = {
  [Name in EndpointName as Api[Name]["kind"] extends "json" ? RouteOf<Name> : never]: Name;
};
type Given<Key extends string, Value> = [Value] extends [undefined] ? object : { [K in Key]: Value };

/** `GET /v1/threads` and so on: the endpoints of `/docs` on your server that return JSON. */
export type Route = keyof JsonEndpoints;
export type Input<R extends Route> = Given<"params", ParamsOf<JsonEndpoints[R]>> &
  Given<"query", QueryInputOf<JsonEndpoints[R]>> &
  Given<"body", BodyInputOf<JsonEndpoints[R]>> & { signal?: AbortSignal };

/** What changed in the workspace. `reset`: some changes are no longer stored, so load everything again. */
export type Change = Extract<LiveMessage, { type: "change" }>["change"] | { type: "reset" };

export type Parlance = {
  /** Calls an endpoint and returns its response. Throws `ParlanceError`, or the error of `fetch`. */
  call<R extends Route>(route: R, input: Input<R>): Promise<ResponseOf<JsonEndpoints[R]>>;
  /**
   * The changes of the workspace from now on, until `signal` aborts. After a lost connection it continues where it was.
   * Throws `ParlanceError` if the server refuses the caller.
   */
  changes(signal: AbortSignal): AsyncGenerator<Change>;
};

/** The server refused a request. */
export class ParlanceError extends Error {
  override readonly name = "ParlanceError";
  readonly status: number;
  /** The error's code, as listed at `/docs`. */
  readonly code: string | undefined;

  constructor(status: number, body: { code?: string; message?: string }) {
    super(body.message ?? `The server answered with status ${status}.`);
    this.status = status;
    this.code = body.code;
  }
}

/** A client of a Parlance server, with a connection of its own or with that of an `AssistantCloud`. */
export function createParlance(options: Connection | { cloud: Cloud }): Parlance {
  const connection = "cloud" in options ? connectionOf(options.cloud) : options;
  const send = async (path: string, init: Init): Promise<Response> => {
    const response = await fetch(`${connection.baseUrl.replace(/\/$/, "")}${path}`, {
      ...init,
      headers: { ...(await connection.headers()), ...init.headers },
    });
    if (response.ok) return response;
    throw new ParlanceError(response.status, (await response.json().catch(() => ({}))) as object);
  };

  return {
    async call(route, input) {
      const [method = "GET", path = ""] = route.split(" ");
      const { params, query, body, signal } = input as AnyInput;
      const response = await send(filled(path, params) + textOf(query), {
        method,
        signal: signal ?? null,
        headers: { Accept: "application/json", "Content-Type": "application/json" },
        body: body === undefined ? null : JSON.stringify(body),
      });
      return (await response.json()) as never;
    },
    async *changes(signal) {
      let after: number | undefined;
      for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
        try {
          const query = textOf(after === undefined ? {} : { after: String(after) });
          const response = await send(`/v1/live${query}`, {
            signal,
            headers: { Accept: "text/event-stream" },
          });
          for await (const message of messagesOf<LiveMessage>(response)) {
            waitMs = firstWaitMs;
            if ("seq" in message) after = message.seq;
            if (message.type === "change") yield message.change;
            if (message.type === "reset") yield { type: "reset" };
          }
        } catch (error) {
          if (error instanceof ParlanceError && error.status < 500 && error.status !== 429) throw error;
        }
        await passed(waitMs, signal);
      }
    },
  };
}

const firstWaitMs = 500;
const longestWaitMs = 30_000;

type Init = Omit<RequestInit, "headers"> & { headers: Record<string, string> };
type AnyInput = { params?: Values; query?: Values; body?: unknown; signal?: AbortSignal };
type Values = Record<string, string | undefined>;

function connectionOf(cloud: Cloud): Connection {
  // The client has no public way to its address and credential. This one has not changed since version 0.1.
  const { api, headers } = cloud.runs.__internal_getAssistantOptions("default");
  return { baseUrl: api.slice(0, -"/v1/runs/stream".length), headers };
}

function filled(path: string, params: Values = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

function textOf(query: Values = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}

async function passed(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
