/**
 * Browsers call the service from other origins with a bearer and without cookies. Headers stand on errors too, or the
 * caller would see no status at all.
 */
export function corsHeaders(
  origin: string | undefined,
  allowedOrigins: readonly string[],
): Record<string, string> {
  if (origin === undefined) return {};
  if (allowedOrigins.length > 0 && !allowedOrigins.includes(origin)) return { Vary: "Origin" };
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Expose-Headers":
      "Authorization, Retry-After, x-vercel-ai-data-stream, x-vercel-ai-ui-message-stream",
    Vary: "Origin",
  };
}

export const preflightHeaders: Record<string, string> = {
  "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
  // `*` does not cover Authorization. The web app's own header is not here on purpose: with it, a cookie counts.
  "Access-Control-Allow-Headers":
    "authorization, content-type, aui-sdk, aui-user-id, aui-workspace-id, last-event-id",
  "Access-Control-Max-Age": "7200",
};
