/** For a request that no page sent, or one from elsewhere that may not read the answer. */
export const noCors: Record<string, string> = { Vary: "Origin" };

/**
 * Browsers call the service from other origins with a bearer and without cookies. Headers stand on errors too, or the
 * caller would see no status at all.
 */
export function corsHeaders(origin: string): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers":
      "Authorization, Retry-After, Content-Disposition, Content-Range, ETag, x-vercel-ai-data-stream, x-vercel-ai-ui-message-stream",
    Vary: "Origin",
  };
}

/** Whether the page is our own: of the origin that the request itself names, or of the public one. */
export function isOwnOrigin(
  header: (name: string) => string | undefined,
  publicOrigin: string | undefined,
): boolean {
  const origin = header("origin");
  if (origin === undefined || origin === publicOrigin || header("sec-fetch-site") === "same-origin")
    return true;
  return URL.canParse(origin) && new URL(origin).host === header("host");
}

export const preflightHeaders: Record<string, string> = {
  "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
  // `*` does not cover Authorization. The web app's own header is not here on purpose: with it, a cookie counts.
  "Access-Control-Allow-Headers":
    "authorization, content-type, aui-sdk, aui-user-id, aui-workspace-id, last-event-id, range, if-none-match, if-range",
  "Access-Control-Max-Age": "7200",
};
