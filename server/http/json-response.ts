import type { Endpoint } from "#contract/endpoint.ts";
import { RawResponse, JsonResponse } from "../lib/route.ts";
import type { EndpointContext } from "./context.ts";
import type { CookieJar } from "./cookie.ts";
import { jsonHeaders } from "./error-response.ts";

/** Sends a route's result as JSON, or as it is if it is a `RawResponse`; sets or clears the session cookie. */
export function sendJson(
  c: EndpointContext,
  result: unknown,
  status: Endpoint["status"],
  headers: Record<string, string>,
  cookies: CookieJar,
): Response {
  if (result instanceof RawResponse)
    return c.body(new Uint8Array(result.bytes), status, {
      ...headers,
      "Content-Type": result.contentType,
      "Cache-Control": "private, no-store",
    });
  const reply = result instanceof JsonResponse ? result : new JsonResponse(result, {});
  const cookie = sessionCookie(reply, cookies);
  return c.body(JSON.stringify(reply.answer), (reply.status ?? status) as 200, {
    ...headers,
    ...(cookie === undefined ? {} : { "Set-Cookie": cookie }),
    ...jsonHeaders,
  });
}

function sessionCookie({ session }: JsonResponse<unknown>, cookies: CookieJar): string | undefined {
  if (session === undefined) return undefined;
  if (session === "close") return cookies.clear();
  return cookies.write(session.token, session.expiresAt, Date.now());
}
