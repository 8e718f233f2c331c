import { expect } from "vitest";
import type { Page } from "playwright-core";
import { chat } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const answerWithEverything = 'Show it tool=calculate("1+1") think=5 sources';

test.each<[string, { dark: boolean; width: number }]>([
  // The colours are those of the theme, whatever the width.
  ["light, narrow", { dark: false, width: 390 }],
  ["dark, wide", { dark: true, width: 1280 }],
])("has nothing that axe calls an obstacle: %s", async (_, look) => {
  const ada = await visit(environment.browser, environment.server.url, { ...look, height: 844 });
  const { ask, settled, composer, answers } = chat(ada.page);
  await composer.waitFor();
  expect(await violations(ada.page)).toEqual([]);
  await ask(answerWithEverything);
  await answers.first().waitFor();
  await settled();
  expect(await violations(ada.page)).toEqual([]);
  for (const path of ["/archive", "/settings", "/settings/appearance", "/nowhere"]) {
    await ada.page.goto(path);
    await ada.page.getByRole("heading", { level: 1 }).waitFor();
    expect(await violations(ada.page), path).toEqual([]);
  }
});

test("has no axe violations on error pages", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { ask, answers, questions } = chat(ada.page);
  await ask("Fail status=401");
  await answers.first().getByRole("button", { name: "Try again" }).waitFor();
  await ada.context.route("**/runs", async (route) => await route.abort("connectionrefused"));
  await ask("Not sent");
  await questions.nth(1).getByRole("button", { name: "Send again" }).waitFor();
  expect(await violations(ada.page)).toEqual([]);
});

test("works with the keyboard alone", async ({ page }) => {
  const { composer, answers, questions, settled, threads } = chat(page);
  const { keyboard } = page;
  await composer.waitFor();
  // The composer has the initial focus.
  await expect
    .poll(async () => await composer.evaluate((field) => field === document.activeElement))
    .toBe(true);
  await keyboard.type("Go on gap=20");
  await keyboard.press("Shift+Enter");
  await keyboard.type("endless");
  expect(await questions.count()).toBe(0);
  await keyboard.press("Enter");
  await expect.poll(async () => (await answers.first().innerText()).length).toBeGreaterThan(20);
  await keyboard.press("Escape");
  await answers.first().getByText("You stopped this answer.").waitFor();
  await settled();

  // To the list, to the actions of a thread, and back to a new chat.
  await keyboard.press("ControlOrMeta+Shift+O");
  await page.waitForURL(`${environment.server.url}/`);
  await tabTo(
    page,
    async () =>
      await page.evaluate(() => document.activeElement?.getAttribute("href")?.startsWith("/t/") === true),
  );
  await keyboard.press("Enter");
  await answers.first().waitFor();
  await tabTo(
    page,
    async () =>
      await page.evaluate(
        () => document.activeElement?.getAttribute("aria-label")?.startsWith("Actions for") === true,
      ),
  );
  await keyboard.press("Enter");
  await page.getByRole("menuitem").first().waitFor();
  await keyboard.press("Escape");
  await page.getByRole("menuitem").first().waitFor({ state: "hidden" });
  expect(await threads.getByRole("listitem").count()).toBe(1);
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, there: () => Promise<boolean>): Promise<void> {
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    if (await there()) return;
  }
  expect.unreachable("Tab never came there");
}

test("fits a phone: nothing is wider than the screen, and the sidebar is a drawer", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390, height: 844 });
  const { page } = ada;
  const { ask, settled, answers, composer } = chat(page);
  await ask(`A long line ${"unbroken".repeat(30)} tokens=30`);
  await answers.first().waitFor();
  await settled();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect((await composer.boundingBox())?.width ?? 0).toBeGreaterThan(250);
  const link = page
    .getByRole("navigation", { name: "Chats" })
    .getByRole("listitem")
    .getByRole("link")
    .first();
  expect(await link.isVisible()).toBe(false);
  await page.getByRole("button", { name: "Show sidebar" }).click();
  await link.waitFor({ state: "visible" });
  await page.getByRole("button", { name: "New chat" }).first().click();
  await page.waitForURL(`${environment.server.url}/`);
  await link.waitFor({ state: "hidden" });
});
