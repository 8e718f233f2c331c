import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("what a person says about themselves is saved, reaches the model, and is not lost by leaving the page", async () => {
  const dan = await visit(environment.browser, environment.server.url);
  const { page } = dan;
  await page.goto(`${environment.server.url}/settings`);
  await page.getByRole("link", { name: "About you" }).click();
  const field = page.getByRole("textbox", { name: "What should every assistant know" });
  await field.fill("I keep herons.");
  await page.getByRole("link", { name: "General" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stay" }).click();
  // It asks until the answer has come.
  let answer = () => {};
  const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/v1/personal-instructions", async (route) => {
    if (route.request().method() === "PUT") await mayAnswer;
    await route.continue();
  });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "General" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Stay" }).click();
  answer();
  await page.getByText("Saved. Your next answers will use it.").waitFor();
  await page.unroute("**/v1/personal-instructions");
  await page.reload();
  await expect.poll(async () => await field.inputValue()).toBe("I keep herons.");

  await page.goto(environment.server.url);
  const { ask, settled } = chat(page);
  await ask("Which bird do I keep?");
  await settled();
  expect(JSON.stringify(environment.model.requests)).toMatch(/I keep herons\..*Which bird do I keep/);
});
