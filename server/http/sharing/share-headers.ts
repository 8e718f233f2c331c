import { inlineSource, securityHeaders } from "../security-headers.ts";

/** The headers of the page of a link. It runs no script, except the one of live views. */
export function sharePageHeaders({
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
