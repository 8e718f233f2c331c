import { createHash } from "node:crypto";

/** The security headers of a page with this content security policy. No other site can frame it or share its window. */
export function securityHeaders({
  policy,
  secure,
}: {
  policy: readonly string[];
  secure: boolean;
}): Record<string, string> {
  return {
    "Content-Security-Policy": policy.join("; "),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), payment=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    ...(secure ? { "Strict-Transport-Security": "max-age=31536000" } : {}),
  };
}

/** The source of inline code in a content security policy. */
export function inlineSource(code: string): string {
  return `'sha256-${createHash("sha256").update(code).digest("base64")}'`;
}
