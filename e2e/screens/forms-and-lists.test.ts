import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

/* What all forms and all lists have in common, tested with those of the prompts. */

const environment = startEnvironment();

const hasFocus = async (page: Page, name: string) =>
  await expect
    .poll(async () => await page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
    .toBe(name);

test("a form names what is wrong where it is, keeps what was typed when it is not saved, and asks before it is lost", async () => {
  const dan = await visit(environment.browser, environment.server.url, {
    path: "/prompts?edit=new",
    networkErrorsExpected: true,
  });
  const { page } = dan;
  const [title, text] = [
    page.getByRole("textbox", { name: "Title" }),
    page.getByRole("textbox", { name: "Text" }),
  ];
  // The first field has the focus, and leaving it empty is no mistake yet.
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT");
  await page.keyboard.press("Tab");
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.keyboard.type("Good morning");
  await title.focus();
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("input:focus[aria-invalid=true]").and(title).waitFor();
  expect(await page.getByRole("alert").allInnerTexts()).toEqual(["Give the prompt a title."]);
  await page.keyboard.type("Greeting");
  await page.getByRole("alert").waitFor({ state: "detached" });

  await page.route("**/v1/prompts/*", async (route) => await route.fulfill({ status: 500, json: {} }));
  await page.getByRole("button", { name: "Save" }).press("Enter");
  await page.getByRole("alert").waitFor();
  expect(await title.inputValue()).toBe("Greeting");
  await page.unroute("**/v1/prompts/*");

  await page.getByRole("button", { name: "Cancel" }).click();
  const question = page.getByRole("dialog", { name: "Leave" });
  await question.getByText("Leave without saving?").waitFor();
  // The focus is on Stay.
  await page.keyboard.press("Enter");
  await question.waitFor({ state: "detached" });
  expect(await text.inputValue()).toBe("Good morning");

  // It takes no changes while it is saved, and asks until the answer has come.
  const saving = Promise.withResolvers<void>();
  await page.route("**/v1/prompts/*", async (route) => {
    await saving.promise;
    await route.continue();
  });
  const sent = page.waitForRequest("**/v1/prompts/*");
  await page.getByRole("button", { name: "Save" }).click();
  await sent;
  await text.press("End");
  await page.keyboard.type(" and good night");
  expect(await text.inputValue()).toBe("Good morning");
  await page.getByRole("button", { name: "Cancel" }).click();
  await question.getByRole("button", { name: "Stay" }).click();
  saving.resolve();
  await page.getByRole("link", { name: "Greeting" }).click();
  await expect.poll(() => text.inputValue()).toBe("Good morning");

  await title.fill("Lost");
  await page.getByRole("button", { name: "Cancel" }).click();
  await question.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("link", { name: "Greeting" }).waitFor();
  expect(await page.getByRole("link", { name: "Lost" }).count()).toBe(0);
});

test("a list moves the focus past a deleted row, has the row again after Undo, and says that it did not load", async () => {
  const dan = await visit(environment.browser, environment.server.url, {
    path: "/prompts",
    networkErrorsExpected: true,
  });
  const { page } = dan;
  await page.getByText("You have no prompts yet.").waitFor();
  await page.getByRole("button", { name: "New prompt" }).waitFor();
  for (const [index, name] of ["First", "Second", "Third"].entries())
    await page.evaluate(
      async ([id, title]) =>
        await fetch(`/v1/prompts/prm_0${id.repeat(24)}`, {
          method: "PUT",
          headers: { "Parlance-Client": "web", "Content-Type": "application/json" },
          body: JSON.stringify({ title, text: "Text" }),
        }),
      ["abc"[index]!, name] as const,
    );
  await page.reload();
  const remove = async (name: string) => {
    await page.getByRole("button", { name: `Actions for ${name}` }).press("Enter");
    await page.getByRole("menuitem", { name: "Delete" }).press("Enter");
    await page.getByRole("link", { name }).waitFor({ state: "detached" });
  };
  await remove("Second");
  await hasFocus(page, "Actions for Third");
  await remove("Third");
  await hasFocus(page, "Actions for First");
  await remove("First");
  await page.getByText("You have no prompts yet.").waitFor();
  await page.locator("#main:focus").waitFor();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.getByRole("link", { name: "First" }).waitFor();

  await page.route("**/v1/prompts", async (route) => await route.fulfill({ status: 400, json: {} }));
  await page.reload();
  await page.getByText("Couldn’t load your prompts").waitFor();
  await page.unroute("**/v1/prompts");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: "First" }).waitFor();
});
