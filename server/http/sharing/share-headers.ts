import { createHash } from "node:crypto";

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
    `style-src ${hashOf(styles)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`, "connect-src 'self'"]),
    "font-src 'self'",
    "img-src 'self' data:",
    "media-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return {
    "Content-Security-Policy": policy.join("; "),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "private, no-store",
    Vary: "Accept-Language, Cookie",
    ...(secure ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
  };
}

/** The source of inline code in a content security policy. */
function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
