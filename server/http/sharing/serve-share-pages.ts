import { randomUUID } from "node:crypto";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Hono } from "hono";
import type { Endpoint } from "#contract/endpoint.ts";
import { isId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { SharePage } from "#contract/parts/share-page.ts";
import type { Auth } from "../../sign-in/auth.ts";
import type { WatchCredential } from "../../sign-in/credential-watch.ts";
import { isoTime, type SteadyClock } from "../../lib/clock.ts";
import type { ConcurrencyLimiter } from "../../lib/concurrency-limit.ts";
import { AppError } from "../../lib/errors.ts";
import { withoutFileSecrets } from "../../lib/file-urls/file-urls.ts";
import { createRateLimiter } from "../../lib/rate-limit.ts";
import type { Visitor } from "../../lib/route.ts";
import type { Opened } from "../../shares/open-share.ts";
import type { Position } from "../../shares/read-branch.ts";
import type { PublicShares, ReadBranch } from "../../shares/public-shares.ts";
import { writeBytes } from "../write-bytes.ts";
import { limitKeyOf } from "../client-address.ts";
import { afterResponse, type EndpointContext, type EndpointEnv } from "../request-context.ts";
import type { CookieJar } from "../cookie.ts";
import { logError, type ErrorLogOptions } from "../error-response.ts";
import { trackConnection } from "../middleware/track-connection.ts";
import { problemStatus, reasonOf } from "../problem.ts";
import type { LoadedRenderer } from "./share-renderer.ts";
import { findReader, passCookie, readPass, readPassword } from "./share-requests.ts";
import { writeEvents, writeText } from "../streams.ts";
import { inlineSource, securityHeaders } from "../security-headers.ts";

export type SharePageOptions = {
  shares: PublicShares;
  loadRenderer: () => Promise<LoadedRenderer | undefined>;
  identify: Auth["identify"];
  watchCredential: WatchCredential;
  cookies: CookieJar;
  clock: SteadyClock;
  /** The URL of the web app, and its path, which is "" at the root of the host. */
  webUrl: () => string;
  basePath: string;
  secure: boolean;
  streamLimiter: ConcurrencyLimiter;
  heartbeatMs: number;
  stalledMs: number;
} & ErrorLogOptions;

/** For logs: the path is a permission, so they have only its pattern. */
const page: Endpoint = {
  method: "GET",
  path: "/s/{token}",
  caller: "link",
  summary: "The page of a shared thread",
  description: "",
  kind: "bytes",
  status: 200,
};

/** A request for a page, with what its answer depends on. */
type PageRequest = LoadedRenderer & {
  c: EndpointContext;
  token: string;
  /** The path of the page on its host. */
  path: string;
  language: string;
  limitKey: string;
  visitor: Visitor | undefined;
  opened: Opened | undefined;
};

/** Serves shared threads at `/s/<token>`, as HTML that needs no script, for people without the app. */
export function serveSharePages(app: Hono<EndpointEnv>, options: SharePageOptions): void {
  const views = createRateLimiter({ clock: options.clock, points: limits.shareViewsPerMinute, seconds: 60 });

  const answer = (work: (request: PageRequest) => Promise<Response>) => async (c: EndpointContext) => {
    const loaded = await options.loadRenderer();
    if (loaded === undefined) return c.text("The page is not built yet.", 503);
    const limitKey = limitKeyOf(c.get("address"));
    const language = loaded.renderer.chooseLanguage(c.req.header("accept-language"));
    const token = c.req.param("token") ?? "";
    const request = { ...loaded, c, language, limitKey, token, path: `${options.basePath}/s/${token}` };
    try {
      views.spend(limitKey);
      const visitor = await findReader(c, options);
      const opened = await options.shares.open(request.token, { visitor, pass: readPass(c) });
      return await work({ ...request, visitor, opened });
    } catch (error) {
      if (c.env.outgoing.headersSent) {
        if (!c.get("signal").aborted) logError(error, c, options);
        return RESPONSE_ALREADY_SENT;
      }
      const problem = logError(reasonOf(error, c.get("signal"), options.closing), c, options);
      if (problem.retryAfterSeconds !== undefined) c.header("Retry-After", String(problem.retryAfterSeconds));
      const kind = problem.code === "rate-limited" ? "busy" : "unavailable";
      return send(request, { kind }, problemStatus(problem), options);
    }
  };

  app.use("/s/*", trackConnection(page, options.closing));
  app.get(
    "/s/:token",
    answer(async (request) => await showThread(request, options)),
  );
  app.post(
    "/s/:token",
    answer(async (request) => await unlock(request, options)),
  );
  app.get(
    "/s/:token/files/:file",
    answer(async (request) => await sendFile(request, options)),
  );
  app.get(
    "/s/:token/live",
    answer(async (request) => await followLive(request, options)),
  );
  app.all(
    "/s/*",
    answer(async (request) => refuse(request, options)),
  );
}

async function showThread(request: PageRequest, options: SharePageOptions): Promise<Response> {
  const { c, opened } = request;
  if (opened?.state !== "open") return closedPage(request, options);
  const { share } = opened;
  const position = { at: messageIn(c, "at"), before: messageIn(c, "before") };
  const isView = c.req.method === "GET" && position.before === undefined && position.at === undefined;
  const [branch] = await Promise.all([
    options.shares.read(share, position, request, c.get("signal")),
    isView ? options.shares.countView(share) : undefined,
  ]);
  return await sendThread(request, threadPage(request, share, position, branch, options), branch, options);
}

function messageIn(c: EndpointContext, name: "at" | "before"): string | undefined {
  const id = c.req.query(name);
  return isId("message", id) ? id : undefined;
}

/** What a link shows that its reader cannot open, or not yet. */
function closedPage(request: PageRequest, options: SharePageOptions): Response {
  const { c, opened, token, path } = request;
  if (opened?.state === "locked")
    return send(request, { kind: "password", failure: undefined }, 401, options);
  if (opened?.state !== "members") return refuse(request, options);
  const signInUrl = `${options.basePath}/sign-in?to=${encodeURIComponent(`/s/${token}`)}`;
  const isFromElsewhere = /^(cross-site|same-site)$/.test(c.req.header("sec-fetch-site") ?? "");
  const retryUrl = isFromElsewhere ? path : undefined;
  return send(request, { kind: "sign-in", signInUrl, retryUrl }, 401, options);
}

/** The same text for links that have expired, were revoked or are unknown. */
function refuse(request: Omit<PageRequest, "visitor" | "opened">, options: SharePageOptions): Response {
  return send(request, { kind: "missing" }, 404, options);
}

function threadPage(
  { c, token, path }: PageRequest,
  share: Opened["share"],
  { at, before }: Position,
  branch: ReadBranch,
  { webUrl, basePath }: Pick<SharePageOptions, "webUrl" | "basePath">,
): Extract<SharePage, { kind: "thread" }> {
  const query = at === undefined ? "" : `?at=${at}`;
  const pass = share.password_hash === null ? undefined : readPass(c);
  const isPublic = share.password_hash === null && share.audience === "anyone";
  return {
    kind: "thread",
    title: share.title === null ? null : withoutFileSecrets(share.title),
    sharedAt: isoTime(share.created_at),
    messagesPlaceholder: randomUUID(),
    earlier:
      branch.earlier === undefined
        ? undefined
        : `${path}${query}${query === "" ? "?" : "&"}before=${branch.earlier}`,
    latest: before === undefined ? undefined : `${path}${query}`,
    // In the fragment, which browsers send to no server.
    continueUrl: `${basePath}/continue#${[token, pass ?? "", at ?? ""].join(".").replace(/\.+$/, "")}`,
    liveUrl: share.head_id === null && before === undefined ? `${path}/live${query}` : undefined,
    preview: isPublic ? { url: `${webUrl()}/s/${token}`, description: branch.description } : undefined,
  };
}

async function unlock(request: PageRequest, options: SharePageOptions): Promise<Response> {
  const { c, opened, path, limitKey } = request;
  if (opened?.state === "members" || opened === undefined) return closedPage(request, options);
  if (opened.state === "locked") {
    const password = await readPassword(c);
    try {
      const pass = await options.shares.unlock(opened.share, password, limitKey);
      if (pass === undefined) return send(request, { kind: "password", failure: "wrong" }, 403, options);
      c.header("Set-Cookie", passCookie(path, pass, options.secure));
    } catch (error) {
      const isSlowed =
        error instanceof AppError && (error.code === "rate-limited" || error.code === "too-many-attempts");
      if (!isSlowed) throw error;
      c.header("Retry-After", String(error.retryAfterSeconds));
      return send(request, { kind: "password", failure: "rate-limited" }, 429, options);
    }
  }
  c.header("Cache-Control", "private, no-store");
  return c.redirect(path, 303);
}

async function sendFile(request: PageRequest, options: SharePageOptions): Promise<Response> {
  const { c, opened } = request;
  const fileId = c.req.param("file");
  if (opened?.state !== "open" || !isId("file", fileId)) return refuse(request, options);
  const file = await options.shares.openFile(opened.share, fileId, {
    // HEAD responses have no ranges.
    range: c.req.method === "HEAD" ? undefined : c.req.header("range"),
    ifRange: c.req.header("if-range"),
    ifNoneMatch: c.req.header("if-none-match"),
  });
  if (file === undefined) return refuse(request, options);
  const headers = { ...file.headers, "X-Robots-Tag": "noindex" };
  if (c.req.method === "HEAD") return c.body(null, file.status as 200, headers);
  const { stalledMs } = options;
  await writeBytes(c.env.outgoing, file, { headers, stalledMs, signal: c.get("signal") });
  return RESPONSE_ALREADY_SENT;
}

async function followLive(request: PageRequest, options: SharePageOptions): Promise<Response> {
  const { c, opened, visitor } = request;
  if (opened?.state !== "open" || opened.share.head_id !== null) return refuse(request, options);
  if (c.req.method === "HEAD") return c.body(null, 200);
  afterResponse(c, options.streamLimiter.take(visitor, request));
  const signal = c.get("signal");
  const isForMembers = opened.share.audience === "members" && visitor !== undefined;
  const stopWatching = isForMembers
    ? options.watchCredential(visitor, () => c.get("disconnect").abort(new AppError("invalid-token")))
    : undefined;
  const events = options.shares.follow(opened.share, messageIn(c, "at"), request, signal);
  try {
    // The first event can still be refused with a status.
    const first = await events.next();
    await writeEvents(c.env.outgoing, continued(first, events), {
      headers: { "X-Robots-Tag": "noindex" },
      heartbeatMs: options.heartbeatMs,
      stalledMs: options.stalledMs,
      signal,
      errorData: (error) => ({ code: logError(error, c, options).code }),
    });
  } finally {
    await events.return(undefined);
    stopWatching?.();
  }
  return RESPONSE_ALREADY_SENT;
}

async function* continued<T>(first: IteratorResult<T, unknown>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done !== true) yield first.value;
  yield* rest;
}

/** Sends the beginning of the page at once, and the messages as they are rendered. */
async function sendThread(
  { c, renderer, styles, language }: PageRequest,
  content: Extract<SharePage, { kind: "thread" }>,
  { html }: ReadBranch,
  { secure, basePath, heartbeatMs, stalledMs }: SharePageOptions,
): Promise<Response> {
  const script = content.liveUrl === undefined ? undefined : renderer.liveScript;
  const headers = sharePageHeaders({ styles, script, secure });
  if (c.req.method === "HEAD") return c.html("", 200, headers);
  const [head = "", foot = ""] = renderer
    .renderPage(content, { language, styles, basePath })
    .split(content.messagesPlaceholder);
  async function* pieces(): AsyncGenerator<string> {
    yield head;
    yield* html;
    yield foot;
  }
  await writeText(c.env.outgoing, pieces(), {
    headers,
    contentType: "text/html; charset=UTF-8",
    heartbeat: undefined,
    heartbeatMs,
    stalledMs,
    signal: c.get("signal"),
  });
  return RESPONSE_ALREADY_SENT;
}

function send(
  { c, renderer, styles, language }: Omit<PageRequest, "visitor" | "opened">,
  content: SharePage,
  status: number,
  { secure, basePath }: SharePageOptions,
): Response {
  const html = renderer.renderPage(content, { language, styles, basePath });
  return c.html(html, status as 200, sharePageHeaders({ styles, script: undefined, secure }));
}

/** The headers of the page of a link. It runs no script, except the one of live views. */
function sharePageHeaders({
  styles,
  script,
  secure,
}: {
  styles: string;
  script: string | undefined;
  secure: boolean;
}): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src ${inlineSource(styles)}`,
    ...(script === undefined ? [] : [`script-src ${inlineSource(script)}`, "connect-src 'self'"]),
    "font-src 'self'",
    "img-src 'self' data:",
    "media-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return {
    ...securityHeaders({ policy, secure }),
    "X-Robots-Tag": "noindex",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Cache-Control": "private, no-store",
    Vary: "Accept-Language, Cookie",
  };
}
