import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Hono } from "hono";
import { AppError } from "../../lib/errors.ts";

/**
 * The policy of the frame that runs programs of answers. The frame has an origin of its own, also when it is opened by
 * itself: no cookies, no storage, no network, no windows, and nothing of the page.
 */
const policy = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "media-src data: blob:",
  "font-src data:",
  "connect-src 'none'",
  // In the standard, but no browser knew it when this was written.
  "webrtc 'block'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join("; ");

/** Serves `/program`, an empty page that shows what the web app sends it. `folder`: the built web app. */
export function serveSandboxFrame(app: Hono, { folder }: { folder: string }): void {
  app.get("/program", async (c) => {
    const script = await readFile(join(folder, "program-frame.js"), "utf8").catch(() => undefined);
    if (script === undefined) throw new AppError("not-found");
    return c.html(
      `<!doctype html><meta charset="utf-8"><title>Program</title><script>${script}</script>`,
      200,
      {
        "Content-Security-Policy": policy,
        // No connection at all, also by what the policy above does not cover: WebRTC, `preconnect`, and navigations.
        "Connection-Allowlist": "()",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy":
          "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), display-capture=()",
        "X-DNS-Prefetch-Control": "off",
        "Cache-Control": "no-cache",
      },
    );
  });
}
