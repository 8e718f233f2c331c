import { expect } from "vitest";
import type { Page } from "playwright-core";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit, type Visit } from "../support/visit.ts";

const environment = startEnvironment();

const dayMs = 24 * 3_600_000;

/** Another tab of the same browser with a wrong clock. */
async function tabWithClock(ada: Visit, offMs: number, path = "/"): Promise<Page> {
  const page = await ada.context.newPage();
  await page.addInitScript((differMs) => {
    const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...given: [] | [string | number | Date]) {
        if (given.length === 0) super(Real.now() + differMs);
        else super(...(given as [number]));
      }
      static override now() {
        return Real.now() + differMs;
      }
    } as DateConstructor;
  }, offMs);
  await page.goto(path);
  return page;
}

const groups = async (page: Page) =>
  await chat(page)
    .threads.getByRole("group", { name: "Chats" })
    .getByRole("region")
    .evaluateAll((sections) =>
      sections.map((section) => [
        section.querySelector("h2")?.textContent,
        section.querySelectorAll("li").length,
      ]),
    );
const listed = async (page: Page) =>
  await chat(page)
    .threads.getByRole("listitem")
    .getByRole("link")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href")));

test.each([
  ["a day ahead", dayMs],
  ["a day behind", -dayMs],
])("agrees with a tab whose clock is %s on today's threads, their order and the draft", async (_, offMs) => {
  const ada = await visit(environment.browser, environment.server.url);
  const right = chat(ada.page);
  await right.ask("Said by the right clock tokens=2");
  await right.settled();
  const other = await tabWithClock(ada, offMs);
  const wrong = chat(other);
  await wrong.ask("Said by the wrong clock tokens=2");
  await wrong.settled();
  await expect
    .poll(async () => [await groups(ada.page), await groups(other)])
    .toEqual([[["Today", 2]], [["Today", 2]]]);
  // The order follows the server's clock.
  await right.ask("Once more tokens=2");
  await right.settled();
  await eventually(
    async () => [await listed(ada.page), await listed(other)],
    ([here, there]) => {
      const newest = [ada.page, other].map((page) => new URL(page.url()).pathname);
      expect([here, there]).toEqual([newest, newest]);
    },
  );
  // Drafts sync in both directions.
  const thread = new URL(other.url()).pathname;
  await wrong.composer.fill("Begun by the wrong clock");
  await other.waitForFunction(() =>
    Object.keys(localStorage).some((key) => key.startsWith("parlance.draft.thread")),
  );
  await ada.page.goto(thread);
  await right.composer.waitFor();
  expect(await right.composer.inputValue()).toBe("Begun by the wrong clock");
});
