import type { Hono } from "hono";
import { openApi } from "#contract/reference/openapi.ts";
import { programVersion } from "#storage/lib/program-version.ts";
import { respondCompressed } from "../compress.ts";
import { readBuiltPage } from "./built-pages.ts";
import { pageHeaders, unbuiltPage } from "./web-app.ts";

/** Serves `/openapi.json`, which is generated at the first request, and `/docs`, the page that renders it. */
export function serveReference(
  app: Hono,
  options: {
    folder: string;
    baseUrl: string | undefined;
    basePath: string;
    secure: boolean;
    url: () => string;
  },
): void {
  let document: string | undefined;

  app.get("/openapi.json", async (c) => {
    document ??= JSON.stringify(openApi(programVersion(), options.url()), undefined, 1);
    return await respondCompressed(c, document, 200, {
      "Content-Type": "application/json; charset=utf-8",
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
      // The document has no private data: tools on any page may read it.
      "Access-Control-Allow-Origin": "*",
    });
  });

  // Served as a static file, the page would have the web app's policy, which blocks its styles.
  app.get("/docs.html", (c) => c.redirect(`${options.basePath}/docs`));

  app.get("/docs", async (c) => {
    const page = await readBuiltPage(options.folder, "docs.html", options.basePath);
    const headers = pageHeaders({ ...options, inlineStyles: true });
    return c.html(page ?? unbuiltPage, page === undefined ? 503 : 200, {
      ...headers,
      "Cache-Control": "no-cache",
    });
  });
}
