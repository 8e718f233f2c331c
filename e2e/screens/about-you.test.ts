import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("what a person says about themselves is saved and reaches the model", async () => {
  const dan = await visit(environment.browser, environment.server.url);
  const { page } = dan;
  await page.goto(`${environment.server.url}/settings`);
  await page.getByRole("link", { name: "About you" }).click();
  const field = page.getByRole("textbox", { name: "What should every assistant know" });
  await field.fill("I keep herons.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved. Your next answers will use it.").waitFor();
  await page.reload();
  await expect.poll(async () => await field.inputValue()).toBe("I keep herons.");

  await page.goto(environment.server.url);
  const { ask, settled } = chat(page);
  await ask("Which bird do I keep?");
  await settled();
  expect(JSON.stringify(environment.model.requests)).toMatch(/I keep herons\..*Which bird do I keep/);
});
