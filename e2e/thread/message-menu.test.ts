import { expect } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("the menu of a message links to it, continues in a new chat, and deletes undoably", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390, height: 844 });
  const { page } = ada;
  const { ask, settled, questions, answers } = chat(page);
  for (const text of ["Willows bend tokens=3", "Poplars stand tokens=3", "Hazels give nuts tokens=3"]) {
    await ask(text);
    await settled();
  }
  const address = page.url();
  const choose = async (at: number, item: string) => {
    await questions.nth(at).hover();
    await questions.nth(at).getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
  };
  const countOf = async () => [await questions.count(), await answers.count()];
  const counts = async (expected: [number, number]) => await expect.poll(countOf).toEqual(expected);

  await choose(1, "Copy link to this message");
  await page.getByText("Link copied.").waitFor();
  const id = await questions.nth(1).getAttribute("data-message-id");
  expect(await page.evaluate(async () => await navigator.clipboard.readText())).toBe(`${address}?m=${id}`);

  // Below a message that was deleted alone, the conversation goes on.
  await choose(1, "Delete this message");
  await counts([2, 3]);
  await page.getByRole("button", { name: "Undo" }).click();
  await counts([3, 3]);
  await choose(1, "Delete it and everything below");
  await counts([1, 1]);
  const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
  await page
    .getByRole("region", { name: "Notifications" })
    .getByRole("button", { name: "Close" })
    .last()
    .click();
  expect((await deleted).status()).toBe(200);
  await ask("Alders? tokens=2");
  await settled();
  await page.reload();
  await questions.nth(1).waitFor();
  await counts([2, 2]);

  await choose(0, "Continue in a new chat");
  await expect.poll(async () => page.url()).not.toBe(address);
  await counts([1, 0]);
  await ask("And birches? tokens=2");
  await settled();
  await counts([2, 1]);
  await page.goto(address);
  await questions.nth(1).waitFor();
  await counts([2, 2]);
});

test("a message that was deleted just before the page is closed is deleted", async ({ ada }) => {
  const { ask, settled, questions } = chat(ada.page);
  await ask("Willows bend tokens=3");
  await settled();
  await questions.first().hover();
  await questions.first().getByRole("button", { name: "More actions" }).press("Enter");
  await ada.page.getByRole("menuitem", { name: "Delete this message" }).press("Enter");
  await expect.poll(async () => await questions.count()).toBe(0);
  await ada.page.reload();
  await chat(ada.page).answers.first().waitFor();
  expect(await questions.count()).toBe(0);
});
