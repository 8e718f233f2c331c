import type { Api, BodyInputOf, EndpointName, ParamsOf, QueryInputOf, ResponseOf } from "../contract/api.ts";
import type { LiveMessage } from "../contract/changes.ts";
import { createRetryWait, createSend, isRefused, type Cloud, type Connection } from "./connection.ts";
import { openEvents } from "./server-sent-events.ts";

export { ParlanceError, type Cloud, type Connection } from "./connection.ts";

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

/** What changed in the workspace. `reset`: load what you show, even if you loaded it before. */
export type Change = Extract<LiveMessage, { type: "change" }>["change"] | { type: "reset" };

export type Parlance = {
  /** Calls an endpoint and returns its response. Throws `ParlanceError`, or the error of `fetch`. */
  call<R extends Route>(route: R, input: Input<R>): Promise<ResponseOf<JsonEndpoints[R]>>;
  /**
   * The changes of the workspace, until `signal` aborts. Begins with a `reset` when it is connected: what is loaded after
   * that misses no change. It continues where it was after a lost connection, or with a `reset` after a very long one. Throws `ParlanceError` if the server refuses the caller.
   */
  changes(signal: AbortSignal): AsyncGenerator<Change>;
};

/** A client of a Parlance server, with a connection of its own or with that of an `AssistantCloud`. */
export function createParlance(options: Connection | { cloud: Cloud }): Parlance {
  const send = createSend(options);
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
      const retry = createRetryWait(signal);
      for (let after: number | undefined; !signal.aborted; await retry.wait()) {
        try {
          const query = textOf(after === undefined ? {} : { after: String(after) });
          const headers = { Accept: "text/event-stream" };
          const stream = await openEvents(send, `/v1/live${query}`, { signal, headers });
          for await (const data of stream.data(signal)) {
            const message = JSON.parse(data) as LiveMessage;
            const isFirst = after === undefined;
            retry.reset();
            if ("seq" in message) after = message.seq;
            if (message.type === "change") yield message.change;
            if (message.type === "reset" || isFirst) yield { type: "reset" };
          }
        } catch (error) {
          if (isRefused(error)) throw error;
        }
      }
    },
  };
}

type AnyInput = { params?: Values; query?: Values; body?: unknown; signal?: AbortSignal };
type Values = Record<string, string | undefined>;

function filled(path: string, params: Values = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

function textOf(query: Values = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
}
