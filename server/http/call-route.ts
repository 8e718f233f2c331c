import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Handler } from "hono";
import type { EndpointName } from "#contract/api.ts";
import type { OpenAiEndpointName } from "#contract/endpoints/openai.ts";
import type { Endpoint, ResponseKind } from "#contract/endpoint.ts";
import type { WatchCredential } from "../sign-in/credential-watch.ts";
import type { ConcurrencyLimiter } from "../lib/concurrency-limit.ts";
import { AppError } from "../lib/errors.ts";
import {
  wantsEvents,
  type FileResponse,
  type EventBatch,
  type AppKey,
  type RequestFacts,
  type Routes,
  type TextStream,
  type Visitor,
  RawResponse,
  JsonResponse,
} from "../lib/route.ts";
import type { OpenAiRoutes } from "../openai/routes.ts";
import { respondCompressed } from "./compress.ts";
import { arrivingBytes, writeBytes } from "./write-bytes.ts";
import { afterResponse, type EndpointContext, type EndpointEnv } from "./request-context.ts";
import type { CookieJar } from "./cookie.ts";
import { logError, type ErrorLogOptions, jsonHeaders } from "./error-response.ts";
import { problemBody, reasonOf } from "./problem.ts";
import type { FindProxyPerson } from "./proxy-person.ts";
import { eventsType, streamHeaders, writeEvents, writeText } from "./streams.ts";

export type RouteOptions = {
  routes: Routes<EndpointName> & OpenAiRoutes;
  cookies: CookieJar;
  /** The origin that people see, if a proxy is in front. */
  publicOrigin: string | undefined;
  findProxyPerson: FindProxyPerson;
  /** The concurrency limit for streams. */
  streamLimiter: ConcurrencyLimiter;
  watchCredential: WatchCredential;
  heartbeatMs: number;
  /** A client that reads nothing, or a sender that sends nothing, for this long is disconnected. */
  stalledMs: number;
} & ErrorLogOptions;

type AnyCall = {
  params: unknown;
  query: unknown;
  body: unknown;
  request: RequestFacts;
  visitor?: Visitor;
  key?: AppKey;
};
type AnyRoute = (call: AnyCall) => Promise<unknown>;

/** Calls the module's function and sends its result: JSON, a file, or a stream. */
export function callRoute(
  name: EndpointName | OpenAiEndpointName,
  endpoint: Endpoint,
  options: RouteOptions,
): Handler<EndpointEnv> {
  const route = options.routes[name] as AnyRoute;
  return async (c) => {
    const kind = responseKindOf(c, endpoint);
    // HEAD of an event stream returns its headers, without starting the stream.
    if (c.req.method === "HEAD" && kind === "events")
      return c.body(null, 200, { ...responseHeaders(c), ...streamHeaders, "Content-Type": eventsType });
    if (kind === "events" || kind === "text") {
      const limitKey = c.get("limitKey");
      afterResponse(c, options.streamLimiter.take(c.get("caller").visitor, { limitKey }));
      if (options.metrics !== undefined) afterResponse(c, options.metrics.streamOpened());
    }
    const call: AnyCall = {
      ...c.get("input"),
      ...c.get("caller"),
      request: requestFacts(c, options),
    };
    const result = await route(call)
      .finally(c.get("releaseBody"))
      .catch((error: unknown) => {
        throw reasonOf(error, c.get("signal"), options.closing);
      });
    if (kind === "json")
      return await sendJson(c, result, endpoint.status, responseHeaders(c), options.cookies);
    if (kind === "bytes") return await sendFile(c, result as FileResponse, options);
    return await sendStream(c, kind, result, options);
  };
}

function responseKindOf(c: EndpointContext, endpoint: Endpoint): ResponseKind {
  if (endpoint.streamsOnRequest === true && wantsEvents(c.req.header("accept"))) return "events";
  const body = c.get("input").body as { stream?: unknown } | undefined;
  return endpoint.streamsOnField === true && body?.stream === true ? "text" : endpoint.kind;
}

function requestFacts(
  c: EndpointContext,
  { publicOrigin, stalledMs, findProxyPerson }: RouteOptions,
): RequestFacts {
  const contentLength = c.req.header("content-length");
  return {
    limitKey: c.get("limitKey"),
    userAgent: c.req.header("user-agent"),
    ownPage: c.get("ownPage"),
    sessionToken: c.get("sessionToken"),
    browserToken: c.get("browserToken"),
    proxyPerson: findProxyPerson(c.env.incoming),
    accept: c.req.header("accept"),
    auiSdk: c.req.header("aui-sdk"),
    lastEventId: c.req.header("last-event-id"),
    origin: publicOrigin ?? `http://${c.req.header("host") ?? "127.0.0.1"}`,
    pageOrigin: c.req.header("origin"),
    // HEAD responses have no ranges.
    range: c.req.method === "HEAD" ? undefined : c.req.header("range"),
    ifRange: c.req.header("if-range"),
    ifNoneMatch: c.req.header("if-none-match"),
    contentType: c.req.header("content-type"),
    contentLength: contentLength === undefined ? undefined : Number(contentLength),
    body: () => arrivingBytes(c.env.incoming, stalledMs),
    signal: c.get("signal"),
  };
}

function responseHeaders(c: EndpointContext): Record<string, string> {
  return { ...c.get("commonHeaders"), "X-Request-Id": c.get("requestId") };
}

async function sendFile(c: EndpointContext, file: FileResponse, options: RouteOptions): Promise<Response> {
  const { outgoing } = c.env;
  const headers = responseHeaders(c);
  const signal = c.get("signal");
  if (c.req.method === "HEAD") return c.body(null, file.status as 200, { ...headers, ...file.headers });
  await writeBytes(outgoing, file, { headers, stalledMs: options.stalledMs, signal }).catch(
    (error: unknown) => {
      if (!outgoing.headersSent) throw reasonOf(error, signal, options.closing);
      if (!signal.aborted) logError(error, c, options);
    },
  );
  return RESPONSE_ALREADY_SENT;
}

async function sendStream(
  c: EndpointContext,
  kind: "events" | "text",
  source: unknown,
  options: RouteOptions,
): Promise<Response> {
  const { visitor } = c.get("caller");
  // A stream can outlive the credential that opened it by hours.
  const stopWatching =
    visitor &&
    options.watchCredential(visitor, () => c.get("disconnect").abort(new AppError("invalid-token")));
  try {
    if (kind === "events") await sendEvents(c, source as AsyncIterable<EventBatch>, options);
    else await sendText(c, source as TextStream, options);
  } finally {
    stopWatching?.();
  }
  return RESPONSE_ALREADY_SENT;
}

async function sendEvents(
  c: EndpointContext,
  batches: AsyncIterable<EventBatch>,
  options: RouteOptions,
): Promise<void> {
  await writeEvents(c.env.outgoing, batches, {
    headers: responseHeaders(c),
    heartbeatMs: options.heartbeatMs,
    stalledMs: options.stalledMs,
    signal: c.get("signal"),
    errorData: (error) => problemBody(logError(error, c, options), c.get("requestId")),
  });
}

async function sendText(c: EndpointContext, stream: TextStream, options: RouteOptions): Promise<void> {
  const signal = c.get("signal");
  await writeText(c.env.outgoing, stream.chunks, {
    headers: { ...responseHeaders(c), ...stream.headers },
    contentType: stream.contentType,
    heartbeat: stream.heartbeat,
    heartbeatMs: options.heartbeatMs,
    stalledMs: options.stalledMs,
    signal,
  }).catch((error: unknown) => {
    if (!signal.aborted) logError(error, c, options);
  });
}

/** Sends a route's result as JSON, or as it is if it is a `RawResponse`; sets or clears the session cookie. */
async function sendJson(
  c: EndpointContext,
  result: unknown,
  status: Endpoint["status"],
  headers: Record<string, string>,
  cookies: CookieJar,
): Promise<Response> {
  if (result instanceof RawResponse)
    return c.body(new Uint8Array(result.bytes), status, {
      ...headers,
      "Content-Type": result.contentType,
      "Cache-Control": "private, no-store",
    });
  const reply = result instanceof JsonResponse ? result : new JsonResponse(result, {});
  const set = sessionCookies(reply, cookies);
  return await respondCompressed(c, JSON.stringify(reply.answer), (reply.status ?? status) as 200, {
    ...headers,
    ...(set.length === 0 ? {} : { "Set-Cookie": set }),
    ...jsonHeaders,
  });
}

function sessionCookies({ session }: JsonResponse<unknown>, cookies: CookieJar): string[] {
  if (session === undefined) return [];
  if (session === "close") return [cookies.clear()];
  const { token, expiresAt, browserToken } = session;
  const browser = browserToken === undefined ? [] : [cookies.writeBrowser(browserToken)];
  return [cookies.write(token, expiresAt, Date.now()), ...browser];
}
