import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

/** Regenerates the last answer with the model that `choose` selects in the menu, and returns the model that was asked. */
async function regenerate(page: Page, version: number, choose: () => Promise<void>): Promise<unknown> {
  const { answers, settled } = chat(page);
  await choose();
  await answers.last().getByText(`${version} / ${version}`).waitFor();
  await settled();
  return lastModel();
}

const answerRequests = () => environment.model.requests.filter(({ body }) => body?.["stream"] === true);
const lastModel = () => answerRequests().at(-1)?.body?.["model"];
const menuOf = (page: Page) => chat(page).answers.last().getByRole("button", { name: "Regenerate with…" });

test("another model answers once, chosen with the mouse or the keyboard, and the chat keeps its own", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, answers, settled } = chat(page);
  await ask("Say it tokens=4");
  await settled();
  expect(lastModel()).toBe("fixture-1");
  const byMouse = await regenerate(page, 2, async () => {
    await menuOf(page).click();
    await page.getByRole("menuitem", { name: "fixture-2" }).click();
  });
  expect(byMouse).toBe("fixture-2");
  await answers.last().getByText("fixture-2").first().waitFor();
  const byKeyboard = await regenerate(page, 3, async () => {
    await menuOf(page).focus();
    await page.keyboard.press("Enter");
    await page.locator("[role=menuitem]:focus").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.locator("[role=menuitem]:focus", { hasText: "fixture-2" }).waitFor();
    await page.keyboard.press("Enter");
  });
  expect(byKeyboard).toBe("fixture-2");
  await page.getByRole("button", { name: "Model: fixture-1" }).waitFor();
  await page.reload();
  await ask("And then? tokens=2");
  await settled();
  expect(lastModel()).toBe("fixture-1");
});

test("another model answers once, chosen by touch at 390 px", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390, hasTouch: true });
  const { page } = ada;
  await chat(page).composer.fill("Say it tokens=4");
  await chat(page).sendButton.tap();
  await chat(page).answers.last().waitFor();
  await chat(page).settled();
  const button = (await menuOf(page).boundingBox())!;
  expect(Math.min(button.width, button.height)).toBeGreaterThanOrEqual(36);
  const asked = await regenerate(page, 2, async () => {
    await menuOf(page).tap();
    await page.getByRole("menuitem", { name: "fixture-2" }).tap();
  });
  expect(asked).toBe("fixture-2");
});

test("an earlier answer is not regenerated while another one is being written, and the page says why", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, answers, settled } = chat(page);
  await ask("First tokens=4");
  await settled();
  await ask("Long\nendless gap=25");
  await answers.nth(1).getByText(/\w/).first().waitFor();
  // Titles are asked for at any time.
  const asked = () => answerRequests().filter(({ body }) => !JSON.stringify(body).includes("a title of"));
  const before = asked().length;
  await answers.first().hover();
  await answers.first().getByRole("button", { name: "Regenerate", exact: true }).click();
  await page.getByText("Wait for the answer to finish, or stop it first.").waitFor();
  expect(asked()).toHaveLength(before);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await settled();
  await answers.first().getByRole("button", { name: "Regenerate", exact: true }).click();
  await answers.first().getByText("2 / 2").waitFor();
});
