import type { Page } from "playwright-core";
import { expect } from "vitest";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { storeThread } from "../support/store-thread.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const count = 161;

test("shows a long thread in parts: scrolling, finding, linking, selecting and printing work as with all of it", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { page } = ada;
  const { log, composer } = chat(page);
  await composer.waitFor();
  await page.goto(`/t/${await longThread(page, count)}`);
  await line(page, count - 1).waitFor();
  const articles = log.getByRole("article");
  await expect.poll(async () => await articles.count()).toBe(40);

  // Earlier messages are loaded and rendered while nothing moves under the reader.
  await page.mouse.move(640, 300);
  for (let step = 0; step < 100 && !(await line(page, 0).isVisible()); step++) {
    const { top, id, above } = await page.evaluate(topmost);
    await page.mouse.wheel(0, -700);
    await page.waitForTimeout(150);
    if (above < 700) continue;
    const message = page.locator(`[data-message-id="${id}"]`);
    await expect
      .poll(async () =>
        Math.abs((await message.evaluate((element) => element.getBoundingClientRect().top)) - top - 700),
      )
      .toBeLessThan(8);
  }
  await line(page, 0).waitFor();
  expect(await articles.count()).toBeLessThan(100);

  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  expect(await articles.count()).toBe(count);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await expect.poll(async () => await articles.count()).toBeLessThan(100);

  // What is selected stays, however far the reader scrolls.
  await page.evaluate(() => {
    const all = document.querySelectorAll("article");
    getSelection()?.setBaseAndExtent(all[0]!, 0, all[3]!, all[3]!.childNodes.length);
  });
  await page.mouse.wheel(0, 20_000);
  await page.waitForTimeout(500);
  expect(await page.evaluate(() => String(getSelection()))).toMatch(/Line 0 .*Line 2 /s);
  await page.evaluate(() => getSelection()?.empty());

  await page.keyboard.press("Control+f");
  const find = page.getByRole("combobox", { name: "Find in this chat" });
  await find.fill("long ".repeat(300));
  await page.getByText(/can have up to 1,000 characters, and this one has 1,500/).waitFor();
  await find.fill("");
  await find.pressSequentially("word37");
  await page.getByRole("option", { name: /word37/ }).waitFor();
  await find.press("Enter");
  await page.locator("[data-marked]").getByText("Line 37 word37").waitFor();
  await eventually(
    async () => (await line(page, 37).boundingBox())?.y ?? -1,
    (y) => expect(Math.abs(y - 400)).toBeLessThan(350),
  );

  // The order of the page is the order of the thread, for keyboards and screen readers.
  const positions = await articles.evaluateAll((all) =>
    all.map(({ dataset }) => Number(dataset["position"])),
  );
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.closest("article")?.dataset["position"])).toBe(
    "37",
  );
});

test("keeps the messages that are rendered when more are added below them", async ({ page }) => {
  const { log, composer, ask, settled, answers } = chat(page);
  await composer.waitFor();
  await page.goto(`/t/${await longThread(page, 40)}`);
  await expect.poll(async () => await log.getByRole("article").count()).toBe(40);
  const first = await log.getByRole("article").first().elementHandle();
  await ask("tokens=5");
  await answers.nth(20).waitFor();
  await settled();
  await page.waitForTimeout(500);
  expect(await first?.evaluate((article) => article.isConnected)).toBe(true);
});

test("measures a table that is far from the reader when they come near it", async ({ page }) => {
  const table = `| ${"Wide column | ".repeat(3)}\n|${"---|".repeat(3)}\n| ${"these are words that fill a cell of the table | ".repeat(3)}`;
  const contents = Array.from({ length: 24 }, (_, n) => ({
    role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: [
      { type: "text", text: n === 1 ? table : `Line ${n} words${"\n\nmore".repeat(n % 2 === 1 ? 20 : 0)}` },
    ],
  }));
  await page.goto(await storeThread(page, contents));
  await line(page, 23).waitFor();
  await page.locator("[data-far] figure").waitFor({ state: "attached" });
  await page.setViewportSize({ width: 390, height: 640 });
  const figure = page.locator("article figure");
  await page.mouse.move(200, 300);
  await page.mouse.wheel(0, -100_000);
  await figure.locator("[data-more-right]").waitFor();
  await figure.getByRole("region", { name: "Table" }).waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  await figure.locator("[data-more-right]").waitFor({ state: "detached" });
});

const line = (page: Page, number: number) => chat(page).log.getByText(new RegExp(`^Line ${number} `));

/** The first message that begins in the window, and how far the page can be scrolled up, as in the next frame that is painted. */
async function topmost(): Promise<{ id: string; top: number; above: number }> {
  // Between two frames, blocks may be rendered whose heights are not corrected yet. Readers do not see that. A new
  // ResizeObserver is called after the one that corrects them, before the frame is painted.
  await new Promise<unknown>((called) =>
    requestAnimationFrame(() => new ResizeObserver(called).observe(document.body)),
  );
  const messages = [...document.querySelectorAll<HTMLElement>("article")];
  const first = messages.find((message) => message.getBoundingClientRect().top > 50)!;
  return {
    id: first.dataset["messageId"]!,
    top: first.getBoundingClientRect().top,
    above: first.closest('[role="log"]')!.parentElement!.parentElement!.scrollTop,
  };
}

/** Creates a thread through the API, with answers of different heights. */
async function longThread(page: Page, messages: number): Promise<string> {
  const contents = Array.from({ length: messages }, (_, n) => ({
    role: n % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: [{ type: "text", text: `Line ${n} word${n}${n % 2 === 1 ? "\n\nmore".repeat(n % 7) : ""}` }],
  }));
  const path = await storeThread(page, contents, { title: "Long" });
  return path.slice("/t/".length);
}
