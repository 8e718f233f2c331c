import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ model: false });

const built = join(import.meta.dirname, "..", "..", "dist", "web");

/** Bytes, compressed with brotli, as browsers receive them from a server with HTTPS. */
const scriptsMax = 230_000;

test("loads at most 230 KB of scripts within five seconds, and the renderer when the person writes", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    preloads: true,
    prepare: async (context) => await context.clock.install(),
  });
  const { composer } = chat(ada.page);
  await composer.waitFor();
  await ada.page.clock.runFor(5_000);
  await ada.page.evaluate(async () => void (await fetch("/healthz")));
  const scripts = () => [
    ...new Set(ada.requests.flatMap((request) => /^GET (\/[^?]+\.js)/.exec(request)?.[1] ?? [])),
  ];
  // The browser reports no request for a shared worker.
  const worker = readdirSync(join(built, "assets")).find((name) => /^worker-.*\.js$/.test(name));
  const loaded = new Set([...scripts(), `/assets/${worker}`]);
  const [, inline = ""] = /<script data[^>]*>(.*?)<\/script>/s.exec(await ada.page.content()) ?? [];
  expect(inline).not.toBe("");
  const bytes = [...loaded].map((path) => statSync(brotliOf(join(built, path))).size);
  bytes.push(brotliCompressSync(inline).length);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(scriptsMax);
  expect(scripts().filter((path) => path.includes("/markdown-"))).toEqual([]);
  await Promise.all([ada.page.waitForResponse(/\/markdown-[^/]*\.js$/), composer.pressSequentially("H")]);
});

test("shows the frame of the app before its scripts have loaded, and says when they do not load", async () => {
  // Not a visit, because the page logs that its script has failed.
  const page = await environment.browser.newPage({ baseURL: environment.server.url });
  const script = /\/start-[^/]*\.js$/;
  await page.route(script, () => {});
  await page.goto("/", { waitUntil: "commit" });
  const frame = page.locator("#root svg");
  await frame.waitFor();
  await page.unroute(script);
  await page.route(script, (route) => route.abort());
  await page.reload();
  await page.getByText("Parlance did not load. Reload the page.").waitFor();
  expect(await frame.isVisible()).toBe(false);
  await page.close();
});

/** Small files are not compressed. */
function brotliOf(path: string): string {
  return statSync(`${path}.br`, { throwIfNoEntry: false }) === undefined ? path : `${path}.br`;
}
