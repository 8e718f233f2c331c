import { expect, test } from "vitest";
import { chat } from "./support/chat.ts";
import { openStage } from "./support/stage.ts";
import { visit } from "./support/visit.ts";

const stage = openStage();

test("sends a message when Enter follows the last key before the next render", async () => {
  const ada = await visit(stage.browser, stage.server.url);
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
  await ada.end();
});

test("sends a message that was typed while the thread was loading", async () => {
  const ada = await visit(stage.browser, stage.server.url);
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
  await ada.end();
});
