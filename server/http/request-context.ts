import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import type { Endpoint } from "#contract/endpoint.ts";
import type { AppKey, Visitor } from "../lib/route.ts";

/** What middleware stores in Hono's context. */
type Variables = {
  requestId: string;
  /** The network address of the caller. */
  address: string;
  /** Absent for paths outside the contract. */
  endpoint: Endpoint | undefined;
  /** The `Origin` of a page that is not ours. */
  foreignOrigin: string | undefined;
  /** Headers of every response to this request, including errors. */
  commonHeaders: Record<string, string>;
};

/** What the middleware of an endpoint adds. */
type EndpointVariables = Variables & {
  /** Aborts when the connection is closed, or when the caller's credential is no longer valid. */
  disconnect: AbortController;
  /** Aborts when `disconnect` does, and when the server shuts down. */
  signal: AbortSignal;
  /** Whether our own web app sent the request. */
  ownPage: boolean;
  /** The token from the session cookie, if the cookie counts for this request. */
  sessionToken: string | undefined;
  browserToken: string | undefined;
  caller: { visitor?: Visitor; key?: AppKey };
  /** The network address, or network, that limits count this request for. */
  limitKey: string;
  input: { params: unknown; query: unknown; body: unknown };
  /** Releases the memory that the request body counts against. */
  releaseBody: () => void;
};

export type AppEnv = { Bindings: HttpBindings; Variables: Variables };
export type EndpointEnv = { Bindings: HttpBindings; Variables: EndpointVariables };

export type AppContext = Context<AppEnv>;
export type EndpointContext = Context<EndpointEnv>;
export type AppMiddleware = MiddlewareHandler<AppEnv>;
export type EndpointMiddleware = MiddlewareHandler<EndpointEnv>;

/** Calls `release` when the response has ended, or at once if the connection is already closed. */
export function afterResponse(c: EndpointContext, release: () => void): void {
  if (c.get("disconnect").signal.aborted) release();
  else c.env.outgoing.once("close", release);
}
