import { expect } from "vitest";
import type { BrowserContext, Page } from "playwright-core";
import { chat } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

/** Fills the browser's storage completely. */
const fill = async (page: Page) =>
  await page.evaluate(() => {
    for (let size = 1 << 20, number = 0; size >= 1;) {
      try {
        localStorage.setItem(`filler.${number++}`, "x".repeat(size));
      } catch {
        size = Math.floor(size / 2);
      }
    }
  });
const makeRoom = async (page: Page) =>
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage)) if (key.startsWith("filler.")) localStorage.removeItem(key);
  });
const forbid = async (context: BrowserContext) =>
  await context.addInitScript(() =>
    Object.defineProperty(window, "localStorage", {
      get() {
        throw new DOMException("Access is denied for this document.", "SecurityError");
      },
    }),
  );

/** Whether the browser would ask before leaving the page. */
async function asksBeforeLeaving(page: Page): Promise<boolean> {
  let asked = false;
  page.once("dialog", (dialog) => {
    asked = dialog.type() === "beforeunload";
    void dialog.dismiss();
  });
  await page.close({ runBeforeUnload: true });
  await new Promise((resolve) => setTimeout(resolve, 500));
  return asked;
}

test("says that storage is full, keeps text in memory, and saves it when there is space", async ({ ada }) => {
  const { composer, ask, settled, questions } = chat(ada.page);
  const note = ada.page.getByText("Browser storage is full. Unsent text will be lost");
  await composer.waitFor();
  await fill(ada.page);
  await composer.fill("A long thought that has no room ".repeat(20));
  await note.waitFor();
  // The text is still there after a visit to another screen.
  await ada.page.getByRole("link", { name: "Settings" }).click();
  await ada.page.getByText("Browser storage is full. Your choices will last").waitFor();
  await ada.page.getByRole("link", { name: "Parlance" }).click();
  await composer.waitFor();
  expect(await composer.inputValue()).toContain("A long thought");
  // Preferences last until the page is closed.
  await ask("Sent all the same tokens=2");
  await settled();
  await questions.getByText("Sent all the same").waitFor();
  await composer.fill("Another thought that has no room ".repeat(20));
  await note.waitFor();
  await makeRoom(ada.page);
  await composer.press("End");
  await composer.pressSequentially("!");
  await note.waitFor({ state: "detached" }).catch(async () => expect(await note.count()).toBe(0));
  await ada.page.reload();
  await expect.poll(async () => await composer.inputValue()).toMatch(/^Another thought.*!$/s);
});

test("asks before leaving the page only if unsaved text would be lost", async () => {
  const ada = await visit(environment.browser, environment.server.url, { prepare: forbid });
  const { composer } = chat(ada.page);
  await composer.fill("Only here");
  expect(await asksBeforeLeaving(ada.page)).toBe(true);
  const other = await ada.tab("/");
  await chat(other).composer.fill("Only here");
  await chat(other).composer.fill("");
  expect(await asksBeforeLeaving(other)).toBe(false);
});

test("works without storage, and says what is not saved", async () => {
  const ada = await visit(environment.browser, environment.server.url, { prepare: forbid });
  const { composer, ask, settled, answers } = chat(ada.page);
  await composer.waitFor();
  expect(await ada.page.getByText("blocks storage for this page").count()).toBe(0);
  await composer.fill("Half a");
  await ada.page.getByText("Your browser blocks storage for this page. Unsent text will be lost").waitFor();
  await ask("Whole tokens=2");
  await settled();
  expect(await answers.count()).toBe(1);
  await ada.page.getByRole("link", { name: "Settings" }).click();
  await ada.page.getByText("Your choices will last until you close it.").waitFor();
  await ada.page.getByRole("link", { name: "Appearance" }).click();
  await ada.page.getByText("Your choices will last until you close it.").waitFor();
  await ada.page.getByRole("group", { name: "Theme" }).getByText("Dark").click();
  await ada.page.getByRole("link", { name: "General" }).click();
  expect(await ada.page.evaluate(() => document.documentElement.dataset["theme"])).toBe("dark");
  await ada.page.getByRole("group", { name: "Language" }).getByText("العربية").click();
  await ada.page.getByRole("heading", { name: "عام", level: 1 }).waitFor();
});
