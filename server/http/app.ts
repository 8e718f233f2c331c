import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { HttpBindings } from "@hono/node-server";
import { Hono, type Context } from "hono";
import { api, type EndpointName } from "#contract/api.ts";
import type { Endpoint } from "#contract/endpoint.ts";
import { errors } from "#contract/errors.ts";
import { newId } from "#contract/ids.ts";
import { AppError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import {
  type ByteAnswer,
  RawAnswer,
  Reply,
  wantsEvents,
  type EventBatch,
  type ProjectKey,
  type RequestFacts,
  type Routes,
  type TextStream,
  type Visitor,
} from "../lib/route.ts";
import type { Slots } from "../lib/concurrency-limit.ts";
import { callerAddress, limitKey } from "./address.ts";
import { drain } from "./body.ts";
import { arrivingBytes, writeBytes } from "./bytes.ts";
import { isOwnPage, isOwnRead, type CookieJar } from "./cookie.ts";
import { corsHeaders, isOwnOrigin, noCors, preflightHeaders } from "./cors.ts";
import type { ReadBody } from "./endpoint-body.ts";
import type { CountRequest } from "./endpoint-rates.ts";
import { createAtOrigin } from "./files-origin.ts";
import { parse } from "./parse.ts";
import { problemBody, problemOf, problemStatus, whyBrokenOff } from "./problem.ts";
import { eventsType, streamHeaders, writeEvents, writeText } from "./streams.ts";

type Env = {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** The origin of a page from elsewhere that sent the request. */
    page: string | undefined;
    /** What stands on every answer to the request, an error too. */
    everywhere: Record<string, string>;
  };
};

export type AppOptions = {
  routes: Routes<EndpointName>;
  /**
   * Who the bearer, the API key's headers or the web app's cookie stand for, and the token to go on with where theirs
   * was another's. Throws the catalogue's 401s and 403s.
   */
  identify(credential: Credential): Promise<{ visitor: Visitor; token?: string }>;
  /** The API key that reads its whole project; `undefined` for whoever comes without one. Throws `invalid-api-key`. */
  identifyKey(credential: Credential): Promise<ProjectKey | undefined>;
  /** Calls `fallen` when what the visitor came with no longer stands, until the answered function is called. */
  watch(visitor: Visitor, fallen: () => void): () => void;
  cookies: CookieJar;
  origins: Origins;
  /** The project of whoever comes without a credential. */
  homeProjectId: string;
  /** The origin that hands out files and nothing else. */
  filesOrigin: string | undefined;
  /** The origin that people see, where a proxy stands in front. */
  publicOrigin: string | undefined;
  trustProxy: number;
  /** The places for streams. */
  streams: Slots;
  /** Those of endpoints whose work is much: each is taken before the body is read, and held until all is answered. */
  places: Partial<Record<EndpointName, Slots>>;
  logger: Logger;
  /** Whether the service can do its work now; throws when not. */
  healthy(): Promise<void>;
  heartbeatMs: number;
  stalledReaderMs: number;
  countRequest: CountRequest;
  readBody: ReadBody;
  /** Aborts when the server goes down: streams end then. */
  closing: AbortSignal;
};

/** Whose pages may call: some project's, where it is not known whose, or this project's. */
export type Origins = {
  someAllows(origin: string): Promise<boolean>;
  allows(origin: string, projectId: string): Promise<boolean>;
};

export type Credential = {
  authorization: string | undefined;
  userIdHeader: string | undefined;
  workspaceIdHeader: string | undefined;
  sessionToken: string | undefined;
};

type AnyCall = {
  params: unknown;
  query: unknown;
  body: unknown;
  request: RequestFacts;
  visitor?: Visitor;
  key?: ProjectKey;
};
type AnyRoute = (call: AnyCall) => Promise<unknown>;

/** The service's HTTP: every endpoint of the contract paired with its room's function, and `GET /healthz`. */
export function createApp(options: AppOptions): Hono<Env> {
  const app = new Hono<Env>({ getPath: rawPath });
  const atOrigin = createAtOrigin(options.filesOrigin);
  app.use("*", async (c, next) => {
    const { incoming, outgoing } = c.env;
    outgoing.once("finish", () => void drain(incoming));
    c.set("requestId", newId("request"));
    const { path, url } = c.req;
    const place = atOrigin({ host: c.req.header("host"), path, search: new URL(url).search });
    if (!place.isHere && place.leadsTo === undefined) return c.text("Not Found", 404);
    const origin = c.req.header("origin");
    const own = isOwnOrigin((name) => c.req.header(name), options.publicOrigin);
    c.set("page", own ? undefined : origin);
    c.set("everywhere", origin === undefined ? {} : noCors);
    if (origin !== undefined && (own || (await options.origins.someAllows(origin))))
      c.set("everywhere", corsHeaders(origin));
    if (c.req.method === "OPTIONS" && c.req.path.startsWith("/v1/")) {
      return c.body(null, 204, { ...c.get("everywhere"), ...preflightHeaders });
    }
    if (place.leadsTo !== undefined) {
      const headers = { Location: place.leadsTo, "Cache-Control": "private, no-store" };
      return c.body(null, 308, { ...c.get("everywhere"), ...headers });
    }
    return await next();
  });
  app.get("/healthz", async (c) => {
    await options.healthy();
    return c.json({ ok: true }, 200, { "Cache-Control": "no-store" });
  });
  for (const name of Object.keys(api) as EndpointName[]) {
    const endpoint: Endpoint = api[name];
    app.on(endpoint.method, endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1"), (c) => answer(c, name, options));
  }
  app.all("/v1/*", (c) =>
    fail(c, new AppError(otherMethods(c.req.path).length > 0 ? "method-not-allowed" : "not-found"), options),
  );
  app.onError((error, c) => fail(c, error, options));
  return app;
}

async function answer(c: Context<Env>, name: EndpointName, options: AppOptions): Promise<Response> {
  const endpoint: Endpoint = api[name];
  const route = options.routes[name] as AnyRoute;
  const { incoming, outgoing } = c.env;
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort(new AppError("client-gone")));
  const signal = AbortSignal.any([gone.signal, options.closing]);
  const header = (name: string) => c.req.header(name);
  const ownPage = isOwnPage(header, options.publicOrigin) || (endpoint.kind === "bytes" && isOwnRead(header));
  const cookie = ownPage && c.req.header("authorization") === undefined;
  const sessionToken = cookie ? options.cookies.read(c.req.header("cookie")) : undefined;
  const who = await identify(c, endpoint, credentialOf(c, sessionToken), options);
  // Whose pages may have an address says the address itself: it was given to somebody.
  if (endpoint.caller !== "link")
    await refuseStrangePage(c, (who.visitor ?? who.key)?.projectId ?? options.homeProjectId, options);
  const limitedBy = limitKey(
    callerAddress(incoming.socket.remoteAddress, c.req.header("x-forwarded-for"), options.trustProxy),
  );
  const whenOver = (release: () => void) => {
    if (gone.signal.aborted) release();
    else outgoing.once("close", release);
  };
  const hold = (places: Slots | undefined) => {
    if (places !== undefined) whenOver(places.take(who.visitor, { limitKey: limitedBy }));
  };
  hold(options.places[name]);
  await options.countRequest(name, limitedBy);
  const params = endpoint.params && parse(endpoint.params, c.req.param(), "path");
  const query = endpoint.query && parse(endpoint.query, c.req.query(), "query");
  // An API key is the operator's own: many people's messages come from its one address.
  const bodyCountsFor = who.visitor?.kind === "key" ? undefined : limitedBy;
  const { body, release } = await options.readBody(incoming, endpoint, bodyCountsFor);
  whenOver(release);
  const call: AnyCall = {
    params,
    query,
    body,
    request: {
      limitKey: limitedBy,
      userAgent: c.req.header("user-agent"),
      ownPage,
      sessionToken,
      accept: c.req.header("accept"),
      auiSdk: c.req.header("aui-sdk"),
      lastEventId: c.req.header("last-event-id"),
      origin: options.publicOrigin ?? `http://${c.req.header("host") ?? "127.0.0.1"}`,
      // Of a head there are no parts.
      range: c.req.method === "HEAD" ? undefined : c.req.header("range"),
      ifRange: c.req.header("if-range"),
      ifNoneMatch: c.req.header("if-none-match"),
      contentType: c.req.header("content-type"),
      contentLength: lengthOf(c.req.header("content-length")),
      body: () => arrivingBytes(incoming, options.stalledReaderMs),
      signal,
    },
    ...who,
  };
  const headers = { ...c.get("everywhere"), "X-Request-Id": c.get("requestId") };
  const kind =
    endpoint.streamsOnRequest === true && wantsEvents(c.req.header("accept")) ? "events" : endpoint.kind;
  // Of a stream there is nothing to send but its head: no one would take the rest.
  if (c.req.method === "HEAD" && kind === "events") {
    return c.body(null, 200, { ...headers, ...streamHeaders, "Content-Type": eventsType });
  }
  if (kind === "events" || kind === "text") hold(options.streams);
  const reasonOf = (error: unknown): unknown => whyBrokenOff(error, signal, options.closing);
  const result = await route(call)
    .finally(release)
    .catch((error: unknown) => {
      throw reasonOf(error);
    });
  if (kind === "json") return jsonAnswer(c, endpoint, result, headers, options);
  if (kind === "bytes") {
    const file = result as ByteAnswer;
    if (c.req.method === "HEAD") return c.body(null, file.status as 200, { ...headers, ...file.headers });
    await writeBytes(outgoing, file, {
      headers,
      stalledMs: options.stalledReaderMs,
      signal,
    }).catch((error: unknown) => {
      if (!outgoing.headersSent) throw reasonOf(error);
      if (!signal.aborted) logged(error, c, options);
    });
    return RESPONSE_ALREADY_SENT;
  }
  // A stream outlives its first check by hours.
  const unwatch =
    call.visitor && options.watch(call.visitor, () => gone.abort(new AppError("invalid-token")));
  try {
    await writeStream(kind, result);
  } finally {
    unwatch?.();
  }
  return RESPONSE_ALREADY_SENT;

  async function writeStream(kind: "events" | "text", source: unknown): Promise<void> {
    if (kind === "events") {
      const failure = (error: unknown) => problemBody(logged(error, c, options), c.get("requestId"));
      const batches = source as AsyncIterable<EventBatch>;
      return await writeEvents(outgoing, batches, {
        headers,
        heartbeatMs: options.heartbeatMs,
        stalledReaderMs: options.stalledReaderMs,
        signal,
        failure,
      });
    }
    const stream = source as TextStream;
    await writeText(outgoing, stream.chunks, {
      headers: { ...headers, ...stream.headers },
      contentType: stream.contentType,
      stalledReaderMs: options.stalledReaderMs,
      signal,
    }).catch((error: unknown) => signal.aborted || logged(error, c, options));
  }
}

/** Whoever the endpoint wants to know. From then on every answer carries the token that theirs was exchanged for. */
async function identify(
  c: Context<Env>,
  endpoint: Endpoint,
  credential: Credential,
  options: AppOptions,
): Promise<{ visitor?: Visitor; key?: ProjectKey }> {
  if (endpoint.caller === "anyone" || endpoint.caller === "link") return {};
  const key = endpoint.caller === "project" ? await options.identifyKey(credential) : undefined;
  if (key !== undefined) return { key };
  // A broken credential is told so first, as everywhere.
  const { visitor, token } = await options.identify({
    ...credential,
    workspaceIdHeader: credential.workspaceIdHeader ?? endpoint.defaultWorkspace,
  });
  if (token !== undefined) c.set("everywhere", { ...c.get("everywhere"), Authorization: `Bearer ${token}` });
  if (endpoint.caller === "project" || (endpoint.caller === "key" && visitor.kind !== "key"))
    throw new AppError("backend-only");
  if (endpoint.caller === "admin" && visitor.kind !== "admin") throw new AppError("not-allowed");
  return { visitor };
}

/** A preflight says not whose threads a page is after; the request itself does, and that project's list counts. */
async function refuseStrangePage(c: Context<Env>, projectId: string, options: AppOptions): Promise<void> {
  const page = c.get("page");
  if (page === undefined || (await options.origins.allows(page, projectId))) return;
  c.set("everywhere", noCors);
  throw new AppError("origin-not-allowed");
}

function jsonAnswer(
  c: Context<Env>,
  endpoint: Endpoint,
  result: unknown,
  headers: Record<string, string>,
  options: AppOptions,
): Response {
  if (result instanceof RawAnswer)
    return c.body(new Uint8Array(result.bytes), endpoint.status, {
      ...headers,
      "Content-Type": result.contentType,
      "Cache-Control": "private, no-store",
    });
  const reply = result instanceof Reply ? result : new Reply(result, {});
  const cookie =
    reply.session === undefined
      ? undefined
      : reply.session === "close"
        ? options.cookies.clear()
        : options.cookies.write(reply.session.token, reply.session.expiresAt, Date.now());
  return c.body(JSON.stringify(reply.answer), (reply.status ?? endpoint.status) as 200, {
    ...headers,
    ...(cookie === undefined ? {} : { "Set-Cookie": cookie }),
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "private, no-store",
    "X-Content-Type-Options": "nosniff",
  });
}

async function fail(c: Context<Env>, error: unknown, options: AppOptions): Promise<Response> {
  const problem = logged(error, c, options);
  // A connection that ends with this answer would be closed upon a body that is still being sent.
  if (!c.env.outgoing.shouldKeepAlive && problem.code !== "request-timeout") await drain(c.env.incoming);
  return c.body(JSON.stringify(problemBody(problem, c.get("requestId"))), problemStatus(problem) as 500, {
    ...c.get("everywhere"),
    ...(problem.retryAfterSeconds === undefined ? {} : { "Retry-After": String(problem.retryAfterSeconds) }),
    ...problem.headers,
    ...(problem.code === "method-not-allowed" ? { Allow: otherMethods(c.req.path).join(", ") } : {}),
    "X-Request-Id": c.get("requestId"),
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "private, no-store",
    "X-Content-Type-Options": "nosniff",
  });
}

/** The problem as it is told; what only the operator may know goes to the log under the same request id. */
function logged(error: unknown, c: Context<Env>, options: AppOptions): AppError {
  const problem = problemOf(error);
  const facts = { requestId: c.get("requestId"), method: c.req.method, path: c.req.path, code: problem.code };
  const isCutOff = options.closing.aborted && problem.cause === options.closing.reason;
  if (problemStatus(problem) >= 500 && errors[problem.code].chosen !== true && !isCutOff)
    options.logger.error({ ...facts, err: problem.cause ?? problem }, "request failed");
  else options.logger.debug(facts, "request refused");
  return problem;
}

function credentialOf(c: Context<Env>, sessionToken: string | undefined): Credential {
  return {
    authorization: c.req.header("authorization"),
    userIdHeader: c.req.header("aui-user-id"),
    workspaceIdHeader: c.req.header("aui-workspace-id"),
    sessionToken,
  };
}

/** The request's path as it was sent, undecoded, so that `%2F` stays inside its segment. */
function rawPath(request: Request): string {
  const start = request.url.indexOf("/", request.url.indexOf(":") + 4);
  const end = request.url.slice(start).search(/[?#]/);
  return end === -1 ? request.url.slice(start) : request.url.slice(start, start + end);
}

function otherMethods(path: string): string[] {
  const endpoints: Endpoint[] = Object.values(api);
  return endpoints
    .filter((endpoint) => new RegExp(`^${endpoint.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))
    .map((endpoint) => endpoint.method);
}

function lengthOf(header: string | undefined): number | undefined {
  return header === undefined ? undefined : Number(header);
}
