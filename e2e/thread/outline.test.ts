import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { storeThread } from "../support/store-thread.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const lines = "A line.\n\n".repeat(12);
const code = `\`\`\`html looms.html\n${"<p>Loom</p>\n".repeat(20)}\`\`\``;

/**
 * Stores a thread with this many questions, each with a long answer. The ninth question was reworded, and its answer edited.
 * Returns its path.
 */
async function longThread(page: Page, questions: number): Promise<string> {
  const messages = Array.from({ length: questions }, (_, index) => {
    const n = index + 1;
    const answer = `## Warp ${n}\n\n${lines}## Weft ${n}\n\n${lines}${n === 3 ? code : ""}`;
    const text = (words: string) => [{ type: "text", text: words }];
    const edited = (words: string) => (n === 9 ? { edited: text(words) } : {});
    return [
      { role: "user" as const, content: text(`**Question** ${n}`), ...edited("Question 9, reworded") },
      { role: "assistant" as const, content: text(answer), ...edited(`Edited.\n\n${answer}`) },
    ];
  });
  return await storeThread(page, messages.flat(), { title: "Looms" });
}

const topOf = async (page: Page, words: string) =>
  (await chat(page).log.getByRole("heading", { name: words, exact: true }).boundingBox())?.y ?? -1;

/** The accessible name or the text of the focused element. */
const focused = async (page: Page) =>
  await page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
  });

test("a long thread has an outline with its questions, and the headings and artifacts of the answer in view", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 1500 });
  const { page } = ada;
  await chat(page).composer.waitFor();
  await page.goto(await longThread(page, 30));
  const outline = page.getByRole("navigation", { name: "Outline" });
  await outline.getByRole("button", { name: "Question 30", exact: true }).waitFor();
  const current = outline.locator("[aria-current='location']");
  await expect.poll(async () => await current.innerText()).toBe("Question 30");
  // Earlier messages are loaded on request.
  await outline.getByRole("button", { name: "Load earlier messages" }).click();
  await outline.getByRole("button", { name: "Question 3", exact: true }).waitFor();

  // A question in a part of the list that is not rendered.
  await outline.getByRole("button", { name: "Question 3", exact: true }).click();
  await expect.poll(async () => await current.innerText()).toBe("Question 3");
  await outline.getByRole("button", { name: "Weft 3" }).click();
  await expect.poll(async () => await topOf(page, "Weft 3")).toBeGreaterThanOrEqual(40);
  expect(await topOf(page, "Weft 3")).toBeLessThan(200);
  expect(await focused(page)).toBe("Weft 3");
  await outline.getByRole("button", { name: /looms/ }).click();
  await page.waitForURL(/panel=/);
  await page.goBack();

  // The headings of another question, in a part of the list that is not rendered.
  await outline.getByRole("button", { name: "Contents: Question 25" }).click();
  await outline.getByRole("button", { name: "Weft 25" }).click();
  await expect.poll(async () => await focused(page)).toBe("Weft 25");
  await expect.poll(async () => Math.abs((await topOf(page, "Weft 25")) - 120)).toBeLessThan(80);
});

test("the outline shows which message has versions and goes to each, by the keyboard", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 1280 });
  const { page } = ada;
  const { keyboard } = page;
  await chat(page).composer.waitFor();
  await page.goto(await longThread(page, 10));
  const outline = page.getByRole("navigation", { name: "Outline" });
  await outline.getByRole("button", { name: "Weft 10" }).waitFor();
  await page.getByRole("main").getByRole("button", { name: "Looms", exact: true }).focus();
  const press = async (key: string, reaches: string | RegExp) => {
    await keyboard.press(key);
    expect(await focused(page)).toMatch(reaches);
  };
  await press("Tab", "Question 10");
  await press("Home", "Question 1");
  await press("ArrowRight", "Question 1");
  await press("ArrowDown", "Warp 1");
  await press("ArrowLeft", "Question 1");
  await keyboard.press("ArrowLeft");
  expect(await outline.getByRole("button", { name: "Warp 1", exact: true }).count()).toBe(0);
  await press("End", "Weft 10");
  await outline.getByRole("button", { name: "Question 9, reworded", exact: true }).focus();
  await press("ArrowDown", "Question 2 of 2");
  await press("ArrowDown", "Answer 2 of 2");
  await keyboard.press("Enter");
  await outline.getByRole("button", { name: "1 Warp 9" }).waitFor();
  await outline.getByRole("button", { name: "2 Edited." }).and(page.locator("[aria-current=true]")).waitFor();
  expect(await violations(page, "nav[aria-label='Outline']")).toEqual([]);
  await press("ArrowDown", "1Warp 9");
  await keyboard.press("Enter");
  await outline.getByRole("button", { name: "Answer 1 of 2" }).waitFor();
  await expect.poll(async () => await focused(page)).toMatch(/^Parlance said.*Warp 9/s);
  await outline.getByRole("button", { name: "Question 2 of 2" }).focus();
  await keyboard.press("ArrowRight");
  await outline.getByRole("button", { name: "1 Question 9" }).press("Enter");
  await outline.getByRole("button", { name: "Question 1 of 2" }).waitFor();
  await expect.poll(async () => await focused(page)).toMatch(/^You said.*Question.* 9/s);
});

test("in a narrow window, the outline is in a dialog, by the keyboard too", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390, height: 844 });
  const { page } = ada;
  await chat(page).composer.waitFor();
  const short = await longThread(page, 3);
  await page.goto(await longThread(page, 10));
  const button = page.getByRole("button", { name: "Outline" });
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Outline" });
  await dialog.getByRole("button", { name: "Answer 2 of 2" }).click();
  await dialog.getByRole("button", { name: "1 Warp 9" }).waitFor();
  expect(await violations(page, "dialog")).toEqual([]);
  await page.keyboard.press("Escape");
  await expect.poll(async () => await focused(page)).toBe("Outline");
  await page.keyboard.press("Enter");
  await dialog.waitFor();
  await expect.poll(async () => await focused(page)).toBe("Question 10");
  await dialog.getByRole("button", { name: "Contents: Question 4" }).click();
  await dialog.getByRole("button", { name: "Weft 4" }).press("Enter");
  await expect.poll(async () => await focused(page)).toBe("Weft 4");
  expect(await dialog.count()).toBe(0);
  await button.press("Enter");
  await dialog.getByRole("button", { name: "Question 4", exact: true }).press("Enter");
  await expect.poll(async () => await topOf(page, "Warp 4")).toBeGreaterThan(0);
  await expect.poll(async () => await topOf(page, "Warp 4")).toBeLessThan(700);
  await page.goto(short);
  await chat(page).answers.first().waitFor();
  expect(await button.count()).toBe(0);
});
