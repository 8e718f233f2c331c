import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("an answer is edited by hand, by the keyboard alone", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    width: 390,
    height: 844,
    networkErrorsExpected: true,
  });
  const { page } = ada;
  const { ask, settled, answers, composer } = chat(page);
  await ask("Willows bend tokens=6 think=4");
  await settled();
  const answer = answers.first();
  const original = await answer.locator("p").first().innerText();
  const openMenu = async () => {
    // `press` does not wait until the button is enabled, which it is when the code of the menu has loaded.
    await answer.getByRole("button", { name: "More actions", disabled: false }).press("Enter");
    await page.getByRole("menuitem", { name: "Edit", exact: true }).press("Enter");
  };
  await openMenu();
  const field = answer.getByRole("textbox", { name: "Answer in Markdown" });
  await field.waitFor();
  expect(await field.inputValue()).toContain(original.slice(0, 10));
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("Willows are **supple** trees.");

  // What was typed survives Esc and a reload.
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-haspopup"))).toBe("menu");
  await page.reload();
  await answer.getByRole("button", { name: "Keep editing" }).click();
  expect(await field.inputValue()).toBe("Willows are **supple** trees.");

  // And a failure.
  await ada.context.route("**/messages?title=false", async (route) => await route.abort("connectionrefused"));
  await field.press("ControlOrMeta+Enter");
  await page.getByText("Can’t reach the server.").first().waitFor();
  expect(await field.inputValue()).toBe("Willows are **supple** trees.");
  await ada.context.unroute("**/messages?title=false");
  await field.press("ControlOrMeta+Enter");

  await answer.getByText("Edited by you").waitFor();
  await answer.locator("strong", { hasText: "supple" }).waitFor();
  expect(await answers.count()).toBe(1);
  await answer.getByRole("img", { name: "Version 2 of 2" }).waitFor();
  await answer.getByRole("button", { name: /^Thought/ }).waitFor();

  // The original is one press away.
  await answer.getByRole("button", { name: "Show original" }).click();
  await answer.getByText(original).waitFor();
  expect(await answer.getByText("Edited by you").count()).toBe(0);
  await answer.getByRole("button", { name: "Next version" }).click();
  await answer.getByText("Edited by you").waitFor();

  // The model reads the edited one.
  await composer.fill("And poplars? tokens=2");
  await composer.press("Enter");
  await expect.poll(async () => JSON.stringify(environment.model.requests)).toContain("And poplars");
  const request = environment.model.requests.findLast((one) => JSON.stringify(one).includes("And poplars"));
  expect(JSON.stringify(request)).toContain("Willows are **supple** trees.");
  expect(JSON.stringify(request)).not.toContain(original.slice(0, 20));
  await settled();
  await page.reload();
  await answers.first().getByText("Edited by you").waitFor();
});
