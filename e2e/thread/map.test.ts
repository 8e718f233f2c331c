import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { storeThread } from "../support/store-thread.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const lines = "A line.\n\n".repeat(12);
const code = `\`\`\`html looms.html\n${"<p>Loom</p>\n".repeat(20)}\`\`\``;

/** Stores a thread with this many questions, each with a long answer. Returns its path. */
async function longThread(page: Page, questions: number): Promise<string> {
  const messages = Array.from({ length: questions }, (_, index) => {
    const n = index + 1;
    const answer = `## Warp ${n}\n\n${lines}## Weft ${n}\n\n${lines}${n === 3 ? code : ""}`;
    const text = (words: string) => [{ type: "text", text: words }];
    return [
      { role: "user" as const, content: text(`**Question** ${n}`) },
      { role: "assistant" as const, content: text(answer), ...(n === 2 ? { versions: 2 as const } : {}) },
    ];
  });
  return await storeThread(page, messages.flat(), { title: "Looms" });
}

const topOf = async (page: Page, words: string) =>
  (await chat(page).log.getByRole("heading", { name: words, exact: true }).boundingBox())?.y ?? -1;

test("a long thread has an outline with its questions, and the headings and artifacts of the answer in view", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 1500 });
  const { page } = ada;
  await chat(page).composer.waitFor();
  await page.goto(await longThread(page, 30));
  const outline = page.getByRole("navigation", { name: "Outline" });
  await outline.getByRole("button", { name: "Question 30" }).waitFor();
  const current = outline.locator("[aria-current='location']");
  await eventually(
    async () => await current.innerText(),
    (text) => expect(text).toBe("Question 30"),
  );
  // Earlier messages are loaded on request.
  await outline.getByRole("button", { name: "Load earlier messages" }).click();
  await outline.getByRole("button", { name: "Question 3", exact: true }).waitFor();

  // A question in a part of the list that is not rendered.
  await outline.getByRole("button", { name: "Question 3", exact: true }).click();
  await eventually(
    async () => await current.innerText(),
    (text) => expect(text).toBe("Question 3"),
  );
  await outline.getByRole("button", { name: "Weft 3" }).click();
  await eventually(
    async () => await topOf(page, "Weft 3"),
    (y) => expect(y).toBeGreaterThanOrEqual(40),
  );
  expect(await topOf(page, "Weft 3")).toBeLessThan(200);
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Weft 3");
  await outline.getByRole("button", { name: /looms/ }).click();
  await page.waitForURL(/panel=/);
  await page.goBack();
  await outline.getByRole("button", { name: /^Question 2 .*Version 2 of 2/ }).waitFor();
  expect(await violations(page, "nav[aria-label='Outline']")).toEqual([]);
  await ada.end();
});

test("in a narrow window, the outline is in a menu, by the keyboard too", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390, height: 844 });
  const { page } = ada;
  await chat(page).composer.waitFor();
  const short = await longThread(page, 3);
  await page.goto(await longThread(page, 9));
  const button = page.getByRole("button", { name: "Outline" });
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitemradio", { name: "Question 9" }).waitFor();
  expect(await violations(page, "[role=menu]")).toEqual([]);
  expect(await page.getByRole("menuitemradio", { checked: true }).innerText()).toContain("Question 9");
  await page.getByRole("menuitemradio", { name: /^Question 4/ }).focus();
  await page.keyboard.press("Enter");
  await eventually(
    async () => await topOf(page, "Warp 4"),
    (y) => expect(y).toBeGreaterThan(0),
  );
  await eventually(
    async () => await topOf(page, "Warp 4"),
    (y) => expect(y).toBeLessThan(700),
  );
  await page.goto(short);
  await chat(page).answers.first().waitFor();
  expect(await button.count()).toBe(0);
  await ada.end();
});
