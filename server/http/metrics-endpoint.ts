import { createHash, timingSafeEqual } from "node:crypto";
import { Hono } from "hono";
import type { Metrics } from "../metrics/metrics.ts";
import { listen, type Listening } from "./serve.ts";

/** Adds `GET /metrics`. With a token, only requests that have it as their bearer token get an answer. */
export function serveMetrics<Env extends object>(
  app: Hono<Env>,
  metrics: Metrics,
  token: string | undefined,
): void {
  app.get("/metrics", async (c) => {
    if (token !== undefined && !isSame(c.req.header("authorization") ?? "", `Bearer ${token}`))
      return c.text("The bearer token of METRICS_TOKEN is required.", 401, { "WWW-Authenticate": "Bearer" });
    const { contentType, text } = await metrics.render();
    return c.body(text, 200, { "Content-Type": contentType, "Cache-Control": "no-store" });
  });
}

/** Serves the metrics alone on a port of their own. Throws `CannotListenError`. */
export async function listenForMetrics(
  metrics: Metrics,
  { token, ...address }: { host: string; port: number; token: string | undefined },
): Promise<Listening> {
  const app = new Hono();
  serveMetrics(app, metrics, token);
  return await listen(app.fetch, { ...address, setting: "METRICS_PORT" });
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
