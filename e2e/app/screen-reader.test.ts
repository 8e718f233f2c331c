import type { Page } from "playwright-core";
import { expect } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";

startEnvironment();

/** The announcements for screen readers, in order. */
async function listen(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(window, { heard });
    const note = () => {
      const regions = [...document.querySelectorAll("#main .visually-hidden[aria-live='polite']")];
      const words = regions.map((region) => region.textContent).join("");
      if (words !== "" && heard.at(-1) !== words) heard.push(words);
    };
    new MutationObserver(note).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });
  return async () => await page.evaluate(() => (window as unknown as { heard: string[] }).heard);
}

test("announces an answer while it streams, even without pauses", async ({ ada }) => {
  const { ask, stopButton, settled } = chat(ada.page);
  const heard = await listen(ada.page);
  await ask("Go on\nendless repeat gap=40");
  await expect
    .poll(async () => (await heard()).filter((said) => said.includes("I am saying this again.")).length)
    .toBeGreaterThan(1);
  await stopButton.click();
  await settled();
  await expect.poll(async () => (await heard()).at(-1)).toMatch(/You stopped this answer\.$/);
});

test("shows and announces that an answer was too long, and continues it", async ({ ada }) => {
  const { ask, answers, settled } = chat(ada.page);
  const heard = await listen(ada.page);
  await ask("Tell me of rivers tokens=6 finish=length");
  const ending = "This answer hit its length limit.";
  await answers.first().getByText(ending).waitFor();
  await expect.poll(async () => (await heard()).at(-1)).toContain(ending);
  expect((await heard()).join(" ")).not.toContain("failed");
  const before = (await answers.first().innerText()).length;
  await answers.first().getByRole("button", { name: "Continue" }).click();
  await settled();
  await expect.poll(async () => (await answers.first().innerText()).length).toBeGreaterThan(before);
  expect(await answers.count()).toBe(1);
});
