import { createHash } from "node:crypto";
import { securityHeaders } from "../security-headers.ts";

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
    ...securityHeaders({ policy, secure }),
    "X-Robots-Tag": "noindex",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Cache-Control": "private, no-store",
    Vary: "Accept-Language, Cookie",
  };
}

/** The source of inline code in a content security policy. */
function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
