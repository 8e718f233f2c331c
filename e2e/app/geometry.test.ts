import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

/** CSS pixels. */
const marginMin = 8;

test.each([
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
])("keeps the composer, the model's name and toasts in the column at $width px", async (size) => {
  const ada = await visit(environment.browser, environment.server.url, size);
  const { ask, settled, answers, composer } = chat(ada.page);
  await ask("Tell me of ferries tokens=3");
  await answers.first().waitFor();
  await settled();
  const main = await boxOf(ada.page.locator("main"));
  const form = await boxOf(ada.page.locator("form").filter({ has: composer }));
  expect(form.left - main.left).toBeGreaterThanOrEqual(marginMin);
  expect(main.right - form.right).toBeGreaterThanOrEqual(marginMin);

  const model = ada.page.getByRole("button", { name: /^(?:Model|Assistant): / });
  const cut = await model.evaluate((button) =>
    [button, ...button.querySelectorAll("*")].some((each) => each.scrollWidth > each.clientWidth + 1),
  );
  expect(cut).toBe(false);

  await composer.focus();
  await ada.page.keyboard.press("Control+K");
  await ada.page.getByRole("option", { name: "Archive this chat" }).click();
  const toast = await boxOf(
    ada.page
      .getByText(/^Archived “/)
      .last()
      .locator(".."),
  );
  expect(Math.abs(toast.left + toast.right - (main.left + main.right)) / 2).toBeLessThan(2);
  await ada.end();
});

test("makes icons larger with the text", async () => {
  const ada = await visit(environment.browser, environment.server.url, { path: "/settings/appearance" });
  const icon = ada.page.getByRole("navigation", { name: "Chats" }).locator("svg").last();
  const before = await boxOf(icon);
  await ada.page.getByText("Larger", { exact: true }).click();
  const after = await boxOf(icon);
  expect(after.right - after.left).toBeGreaterThan((before.right - before.left) * 1.1);
  await ada.end();
});

async function boxOf(element: Locator): Promise<{ left: number; right: number }> {
  const { x, width } = (await element.boundingBox())!;
  return { left: x, right: x + width };
}
