import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const answer =
  "First words of it.\n\nSecond *paragraph* here.\n\n```js\nconst a = 1;\n\n  call(a);\n```\n\nنص عربي في سطرين\\\nوهذا الثاني";

/** Selects from the beginning of one element to the end of another. */
async function select(from: Locator, to: Locator = from): Promise<void> {
  const end = await to.elementHandle();
  await from.evaluate((start, last) => {
    const range = document.createRange();
    range.setStart(start, 0);
    range.setEnd(last ?? start, (last ?? start).childNodes.length);
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range);
  }, end);
}

test("quotes what is selected in a message, on a phone", async () => {
  const width = 390;
  const ada = await visit(environment.browser, environment.server.url, { width });
  const { page } = ada;
  const { ask, answers, questions, settled, composer } = chat(page);
  await ask(`${answer}\n\necho`);
  await settled();
  const said = answers.first();
  const button = page.getByRole("button", { name: "Quote", exact: true });
  expect(await button.count()).toBe(0);

  await select(said.getByText("First words"), said.getByText("Second"));
  await button.waitFor();
  const place = (await button.boundingBox())!;
  const text = (await said.getByText("Second").boundingBox())!;
  expect(place.y).toBeGreaterThanOrEqual(text.y + text.height);
  expect(place.x + place.width).toBeLessThanOrEqual(width);
  await button.click();
  expect(await composer.inputValue()).toBe("> First words of it.\n>\n> Second paragraph here.\n\n");
  await button.waitFor({ state: "hidden" });

  // Below what is written, with the code in a fence and without the names of buttons.
  await composer.fill("Why?");
  await select(said.getByText("Second"), said.getByText("نص عربي"));
  await button.waitFor();
  await page.keyboard.press("Control+Shift+9");
  expect(await composer.inputValue()).toBe(
    "Why?\n\n> Second paragraph here.\n>\n> ```\n> const a = 1;\n>\n>   call(a);\n> ```\n>\n> نص عربي في سطرين\n> وهذا الثاني\n\n",
  );
  await composer.fill("");
  await select(said.locator("pre code"));
  await page.keyboard.press("Control+Shift+9");
  expect(await composer.inputValue()).toBe("> ```\n> const a = 1;\n>\n>   call(a);\n> ```\n\n");

  await composer.fill("");
  await select(questions.first().getByText("First words"));
  await button.waitFor();
  await button.click();
  await expect
    .poll(async () => await composer.inputValue())
    .toMatch(/^> First words of it\.\n>\n> Second \*paragraph\* here\./);
  expect(await composer.evaluate((field) => field === document.activeElement)).toBe(true);
  // Not across messages.
  await select(questions.first().getByText("First words"), said.getByText("Second"));
  await page.waitForTimeout(300);
  expect(await button.isVisible()).toBe(false);
});
