import type { Endpoint } from "#contract/endpoint.ts";
import { RawResponse, JsonResponse } from "../lib/route.ts";
import type { EndpointContext } from "./request-context.ts";
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
  const set = sessionCookies(reply, cookies);
  return c.body(JSON.stringify(reply.answer), (reply.status ?? status) as 200, {
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
