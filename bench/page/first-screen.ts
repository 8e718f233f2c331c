import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../../e2e/support/chromium.ts";
import { startParlance } from "../support/parlance.ts";
import { root } from "../support/process.ts";
import { median, type Bench } from "../support/report.ts";

const rounds = 7;
/** Long enough for everything that a new chat loads without an action of the user. */
const measuredMs = 5_000;
const limits = { ratio: 1.15, bytes: 230_000 };

/** What a first visit loads, in a browser with an empty cache. */
export const firstScreen: Bench = {
  about:
    "first contentful paint beside the same page without scripts, and the scripts of the first five seconds",
  async run() {
    const server = await startParlance({});
    const browser = await launchChromium();
    const bare = await serveWithoutScripts(browser, server.url);
    try {
      const ready: number[] = [];
      const ours: number[] = [];
      const baseline: number[] = [];
      for (let round = -1; round < rounds; round++) {
        const [app, page] = [await openedMs(browser, server.url), await openedMs(browser, bare.url)];
        if (round < 0) continue;
        ours.push(app.firstPaint);
        baseline.push(page.firstPaint);
        ready.push(app.composer);
      }
      const bytes = await scriptBytes(browser, server.url);
      return [
        {
          what: "first contentful paint, median",
          unit: "ms",
          ours: median(ours),
          baseline: median(baseline),
          against: "the same HTML and CSS without scripts",
          aim: `at most ${limits.ratio} times as long`,
          met: median(ours) <= limits.ratio * median(baseline),
        },
        {
          what: "composer, median",
          unit: "ms",
          ours: median(ready),
          baseline: median(baseline),
          against: "the first paint of the same HTML and CSS without scripts",
        },
        {
          what: "scripts within five seconds, brotli",
          unit: "bytes",
          ours: bytes,
          aim: `at most ${limits.bytes} bytes`,
          met: bytes <= limits.bytes,
        },
      ];
    } finally {
      bare.close();
      await browser.close();
      await server.stop();
    }
  },
};

/** Serves the first screen as static HTML with the same styles and fonts. */
async function serveWithoutScripts(browser: Browser, url: string): Promise<{ url: string; close(): void }> {
  const page = await openPage(browser, url);
  await page.getByRole("textbox").waitFor();
  await page.evaluate(
    `document.querySelectorAll("script, link[rel=modulepreload], link[as=script]").forEach((it) => it.remove())`,
  );
  const html = await page.content();
  await page.context().close();
  const types: Record<string, string> = {
    ".css": "text/css",
    ".woff2": "font/woff2",
    ".svg": "image/svg+xml",
  };
  const server = createServer((request, response) => {
    const path = join(root, "dist", "web", request.url ?? "/");
    if (request.url === "/") return response.writeHead(200, { "Content-Type": "text/html" }).end(html);
    if (!existsSync(path)) return response.writeHead(404).end();
    return response.writeHead(200, { "Content-Type": types[extname(path)] }).end(readFileSync(path));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${url}/`);
  return page;
}

/** Milliseconds from the start of the navigation until the first contentful paint, and until the composer is there. */
async function openedMs(browser: Browser, url: string): Promise<{ firstPaint: number; composer: number }> {
  const page = await openPage(browser, url);
  // Strings, because they run in the page, without access to this file.
  const composer = await page.evaluate<number>(`new Promise((resolve) => {
    const look = () => {
      if (document.querySelector("textarea") !== null) resolve(performance.now());
      else requestAnimationFrame(look);
    };
    look();
  })`);
  const firstPaint = await page.evaluate<number>(`new Promise((resolve) =>
    new PerformanceObserver((list) => {
      const [paint] = list.getEntriesByName("first-contentful-paint");
      if (paint !== undefined) resolve(paint.startTime);
    }).observe({ type: "paint", buffered: true }))`);
  await page.context().close();
  return { firstPaint, composer };
}

async function scriptBytes(browser: Browser, url: string): Promise<number> {
  const page = await (await browser.newContext()).newPage();
  let bytes = 0;
  page.on("requestfinished", (request) => {
    if (!new URL(request.url()).pathname.endsWith(".js")) return;
    void request.sizes().then(({ responseBodySize }) => (bytes += responseBodySize));
  });
  await page.goto(`${url}/`);
  await page.waitForTimeout(measuredMs);
  await page.context().close();
  return bytes;
}
