import { existsSync } from "node:fs";
import { serveStatic } from "@hono/node-server/serve-static";
import type { Hono } from "hono";
import { AppError } from "../../lib/errors.ts";
import { readBuiltPage } from "./built-pages.ts";
import { respondCompressed } from "../compress.ts";
import { inlineSource, securityHeaders } from "../security-headers.ts";

/** Paths of the service and of its probes, which the web app never has. */
const reserved = /^\/(?:v1|metrics|health|live|ready|docs|openapi|\.well-known|assets)/;

/**
 * Serves the built web app from `folder`: its files, and its page for `/` and for every other path that a browser
 * navigates to. A probe with a wrong path gets a 404. The page contains the URL of the chat service (`baseUrl`)
 * and the path of the server (`basePath`).
 */
export function serveWebApp(
  app: Hono<never>,
  options: {
    folder: string;
    baseUrl: string | undefined;
    basePath: string;
    /** Other origins that the page loads files from and uploads files to. */
    fileOrigins?: string[];
    secure: boolean;
  },
): void {
  const headers = pageHeaders(options);
  let files: ReturnType<typeof serveStatic> | undefined;
  app.use("*", async (c, next) => {
    if (c.req.method !== "GET" && c.req.method !== "HEAD")
      throw new AppError("method-not-allowed", { headers: { Allow: "GET, HEAD" } });
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    const isPage = c.req.path === "/" || c.req.path === "/index.html";
    if (!isPage && /\.\w+$/.test(c.req.path)) {
      // Checked at each request until it exists: the build can finish after the server has started.
      if (files === undefined && existsSync(options.folder)) files = serveFiles(options.folder);
      return files === undefined ? await next() : await files(c as never, next);
    }
    const isNavigation = !reserved.test(c.req.path) && c.req.header("accept")?.includes("text/html") === true;
    if (!isPage && !isNavigation) return await next();
    c.header("Vary", "Accept");
    const page = await readPage(options);
    if (page === undefined) return c.html(unbuiltPage, 503, { "Cache-Control": "no-cache" });
    return await respondCompressed(c, page, 200, {
      ...pageHeaders({ ...options, page }),
      "Content-Type": "text/html; charset=UTF-8",
      "Cache-Control": "no-cache",
      Vary: "Accept",
    });
  });
  app.notFound(() => {
    throw new AppError("not-found");
  });
}

function serveFiles(folder: string) {
  return serveStatic({
    root: folder,
    precompressed: true,
    onFound(path, c) {
      c.header("Cache-Control", cacheControlOf(path));
    },
  });
}

function cacheControlOf(path: string): string {
  if (/[\\/]assets[\\/]/.test(path)) return "public, max-age=31536000, immutable";
  // Browsers request the icon again whenever the page's URL changes, even after a first message.
  if (/[\\/]favicon[^\\/]*\.svg$/.test(path)) return "public, max-age=86400";
  return "no-cache";
}

/**
 * The security headers of a page. The page can load scripts and styles only from this origin, and connect only to the
 * chat service. `page` is its HTML, whose own scripts and styles are allowed. `inlineStyles` is for the API reference:
 * Scalar inserts its styles by script.
 */
export function pageHeaders({
  baseUrl,
  fileOrigins = [],
  page = "",
  inlineStyles = false,
  secure,
}: {
  baseUrl: string | undefined;
  fileOrigins?: string[];
  page?: string;
  inlineStyles?: boolean;
  secure: boolean;
}): Record<string, string> {
  const origins = [...(baseUrl === undefined ? [] : [new URL(baseUrl).origin]), ...fileOrigins];
  const service = origins.map((origin) => ` ${origin}`).join("");
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...inlineSources(page, "script")].join(" "),
    ["style-src 'self'", ...(inlineStyles ? ["'unsafe-inline'"] : inlineSources(page, "style"))].join(" "),
    "font-src 'self'",
    `img-src 'self' data: blob:${service}`,
    `media-src 'self' data: blob:${service}`,
    `connect-src 'self'${service}`,
    "worker-src 'self'",
    // The frame of programs (sandbox-frame.ts). A program cannot navigate it to another page: those of this origin refuse
    // to be framed.
    "frame-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return securityHeaders({ policy, secure });
}

/** The sources, for a content security policy, of what a page has in its elements of this name. */
function inlineSources(page: string, element: "script" | "style"): string[] {
  const contents = page.matchAll(new RegExp(`<${element}(?: [^>]*)?>(.*?)</${element}>`, "gs"));
  return [...contents].flatMap(([, content]) => (content ? inlineSource(content) : []));
}

async function readPage({
  folder,
  baseUrl = "",
  basePath,
}: {
  folder: string;
  baseUrl: string | undefined;
  basePath: string;
}): Promise<string | undefined> {
  const page = await readBuiltPage(folder, "index.html", basePath);
  const fill = (html: string, name: string, content: string) =>
    html.replace(`name="${name}" content=""`, () => `name="${name}" content="${escapeAttribute(content)}"`);
  return page && fill(fill(page, "parlance-base-url", baseUrl), "parlance-base-path", basePath);
}

function escapeAttribute(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** The page to show when there is no build. */
export const unbuiltPage =
  "<!doctype html><title>Parlance</title><p>The web app is not built yet. Start the server with <code>npm start</code>, which builds it.</p>";
