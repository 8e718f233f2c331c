import { expect } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("sends a message when Enter follows the last key before the next render", async ({ ada }) => {
  const { composer, questions, settled } = chat(ada.page);
  await composer.evaluate((field: HTMLTextAreaElement) => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")!.set!.call(
      field,
      "Quick tokens=3",
    );
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  });
  await questions.first().getByText("Quick").waitFor();
  expect(await composer.inputValue()).toBe("");
  await settled();
});

test("sends a message that was typed while the thread was loading", async ({ ada }) => {
  const { ask, composer, questions, settled } = chat(ada.page);
  await ask("First tokens=3");
  await settled();
  const loads = Promise.withResolvers<void>();
  await ada.context.route("**/branch*", async (route) => {
    await loads.promise;
    await route.continue();
  });
  await ada.page.reload();
  await composer.fill("Second tokens=3");
  await composer.press("Enter");
  expect(await questions.count()).toBe(0);
  loads.resolve();
  await questions.nth(1).getByText("Second").waitFor();
  expect(await composer.inputValue()).toBe("");
  await settled();
  expect(await questions.count()).toBe(2);
});

test("writes what is typed anywhere into the message field, except into menus, fields and dialogs", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, composer, answers, settled } = chat(page);
  await ask("First tokens=3");
  await answers.first().waitFor();
  await settled();
  await page.getByRole("button", { name: "Regenerate", exact: true }).focus();
  await page.keyboard.type("Hello there");
  expect(await composer.inputValue()).toBe("Hello there");
  await composer.fill("");
  const isFocused = async () => await composer.evaluate((field) => field === document.activeElement);

  await page.getByRole("button", { name: "Regenerate", exact: true }).focus();
  await page.keyboard.press("Control+b");
  expect(await isFocused()).toBe(false);
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.type("x");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Actions for/ })
    .press("Enter");
  await page.getByRole("menu").waitFor();
  await page.keyboard.type("x");
  await page.keyboard.press("Escape");
  await answers.first().getByRole("button", { name: "Bad answer" }).click();
  await page.getByRole("textbox", { name: "Comment (optional)" }).pressSequentially("Too dry");
  expect(await composer.inputValue()).toBe("");
});

test("suggests tasks for a language model, and asks for a file", async ({ ada }) => {
  const starters = ada.page.getByRole("list", { name: "Suggestions" }).getByRole("button");
  await starters.first().waitFor();
  expect(await starters.allInnerTexts()).not.toContain("What is 18% of 2,450?");
  const chooser = ada.page.waitForEvent("filechooser");
  await starters.filter({ hasText: "Ask about a file" }).click();
  await chooser;
});

test("shows the latest line of the reasoning while it runs", async ({ ada }) => {
  const { ask, answers, stopButton } = chat(ada.page);
  await ask("Slowly think=400 gap=40 tokens=3");
  const line = answers.first().getByRole("button", { name: "Thinking" });
  await line.waitFor();
  const text = async () => (await line.innerText()).replace("Thinking", "").trim();
  await expect.poll(async () => (await text()).length).toBeGreaterThan(10);
  const first = await text();
  await expect.poll(text).not.toBe(first);
  await stopButton.click();
});
