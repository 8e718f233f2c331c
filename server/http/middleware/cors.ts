import type { Endpoint } from "#contract/endpoint.ts";
import type { Origins } from "../../apps/origins.ts";
import { AppError } from "../../lib/errors.ts";
import type { AppMiddleware, EndpointMiddleware } from "../request-context.ts";

export type CorsOptions = {
  origins: Origins;
  /** The app of callers without a credential. */
  homeAppId: string;
  /** The origin that people see, if a proxy is in front. */
  publicOrigin: string | undefined;
};

/** For pages that may not read the response. */
const deniedHeaders: Record<string, string> = { Vary: "Origin" };

const preflightHeaders: Record<string, string> = {
  "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
  // `*` does not cover Authorization. `Parlance-Client` is absent on purpose: requests with it may use the cookie.
  "Access-Control-Allow-Headers":
    "authorization, content-type, aui-sdk, aui-user-id, aui-workspace-id, last-event-id, range, if-none-match, if-range",
  "Access-Control-Max-Age": "7200",
};

/**
 * Answers preflights and sets the CORS headers. A preflight has no credential, so it passes if any app allows the
 * origin; `checkOrigin` applies the list of the request's own app.
 */
export function cors(options: CorsOptions): AppMiddleware {
  return async (c, next) => {
    const origin = c.req.header("origin");
    const isOwn = isOwnOrigin((name) => c.req.header(name), options.publicOrigin);
    c.set("foreignOrigin", isOwn ? undefined : origin);
    c.set("commonHeaders", origin === undefined ? {} : deniedHeaders);
    if (origin !== undefined && (isOwn || (await options.origins.isAllowedBySome(origin))))
      c.set("commonHeaders", allowedHeaders(origin));
    if (c.req.method === "OPTIONS" && c.req.path.startsWith("/v1/"))
      return c.body(null, 204, { ...c.get("commonHeaders"), ...preflightHeaders });
    return await next();
  };
}

/**
 * Refuses pages of origins that the caller's app does not allow. Without a credential, pages may call that the first
 * app allows or any app lists.
 */
export function checkOrigin(endpoint: Endpoint, { origins, homeAppId }: CorsOptions): EndpointMiddleware {
  return async (c, next) => {
    const { visitor, key } = c.get("caller");
    const origin = c.get("foreignOrigin");
    const appId = (visitor ?? key)?.appId;
    // A link's URL is the permission itself, for pages of every origin.
    const isAllowed =
      origin === undefined ||
      endpoint.caller === "link" ||
      (await origins.isAllowed(origin, appId ?? homeAppId)) ||
      // To get a token of the app that lists it.
      (appId === undefined && (await origins.isListed(origin)));
    if (!isAllowed) {
      c.set("commonHeaders", deniedHeaders);
      throw new AppError("origin-not-allowed");
    }
    await next();
  };
}

/** Pages of other origins use a bearer token and no cookie, so `Access-Control-Allow-Credentials` is not needed. */
function allowedHeaders(origin: string): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers":
      "Authorization, Retry-After, Content-Disposition, Content-Range, ETag, x-vercel-ai-data-stream, x-vercel-ai-ui-message-stream, x-resumable-stream-id",
    Vary: "Origin",
  };
}

/** Whether the page has the origin that this request was sent to, or the public one. */
function isOwnOrigin(
  header: (name: string) => string | undefined,
  publicOrigin: string | undefined,
): boolean {
  const origin = header("origin");
  if (origin === undefined || origin === publicOrigin || header("sec-fetch-site") === "same-origin")
    return true;
  return URL.canParse(origin) && new URL(origin).host === header("host");
}
