import type { Page } from "playwright-core";

/** Goes to an address of the app without loading the page again, as a link does. */
export async function moveTo(page: Page, address: string): Promise<void> {
  await page.evaluate((to) => history.pushState({}, "", to), address);
}
