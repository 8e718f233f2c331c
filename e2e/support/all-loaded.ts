import type { Page } from "playwright-core";

/**
 * Waits until the page has loaded what it loads when it is idle (`web/app/preload.ts`), in a visit with
 * `preloads`. Then it requests no more files.
 */
export async function allLoaded(page: Page): Promise<void> {
  await page.locator("html[data-all-loaded]").waitFor({ state: "attached" });
}
