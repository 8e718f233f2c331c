import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Context, Hono } from "hono";
import { openApi } from "#contract/reference/openapi.ts";
import { referenceHtml } from "../reference/page.ts";
import { programVersion } from "../version.ts";
import { pageHeaders } from "./web-app.ts";

/** Where the page of the reference has its contents. */
const place = "<!--reference-->";

/**
 * Serves what the contract says of itself: `/openapi.json` for programs, and `/docs` for people, in the frame that the
 * web app was built with. Both are made at the first request and kept.
 */
export function serveReference(
  app: Hono,
  options: { folder: string; baseUrl: string | undefined; secure: boolean; address: () => string },
): void {
  let document: ReturnType<typeof openApi> | undefined;
  let json: Served | undefined;
  let contents: string | undefined;
  const described = () => (document ??= openApi(programVersion()));

  app.get("/openapi.json", (c) => {
    json ??= served(JSON.stringify(described(), undefined, 1));
    return send(c, json, {
      "Content-Type": "application/json; charset=utf-8",
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
      // Nothing in it is anyone's: tools on any page may read it.
      "Access-Control-Allow-Origin": "*",
    });
  });

  // The frame alone is nothing to read.
  app.get("/docs.html", (c) => c.redirect("/docs"));

  app.get("/docs", async (c) => {
    const frame = await readFile(join(options.folder, "docs.html"), "utf8").catch(() => undefined);
    // The web app's own answer says what is missing.
    if (frame === undefined) return c.notFound();
    contents ??= referenceHtml(described(), options.address());
    return send(c, served(frame.replace(place, () => contents!)), {
      ...pageHeaders(options),
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-cache",
    });
  });
}

type Served = { plain: string; zipped: Uint8Array<ArrayBuffer> };

function served(plain: string): Served {
  return { plain, zipped: new Uint8Array(gzipSync(plain)) };
}

function send(c: Context, { plain, zipped }: Served, headers: Record<string, string>): Response {
  const zip = /\bgzip\b/.test(c.req.header("accept-encoding") ?? "");
  return c.body(zip ? zipped : plain, 200, {
    ...headers,
    Vary: "Accept-Encoding",
    ...(zip ? { "Content-Encoding": "gzip" } : {}),
  });
}
