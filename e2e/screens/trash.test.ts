import { expect } from "vitest";
import { chat, showThreads } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("keeps a deleted thread in the trash, to restore or delete permanently", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390 });
  const { ask, settled, threads } = chat(ada.page);
  for (const title of ["First lantern", "Second lantern"]) {
    await ada.page.goto(environment.server.url);
    await ask(`${title} tokens=2`);
    await settled();
  }
  const rows = threads.getByRole("listitem");
  await showThreads(ada.page);
  await expect.poll(async () => await rows.count()).toBe(2);
  for (let left = 2; left > 0; left--) {
    await rows.first().hover();
    await rows
      .first()
      .getByRole("button", { name: /^Actions for/ })
      .click();
    await ada.page.getByRole("menuitem", { name: "Delete", exact: true }).click();
    await expect.poll(async () => await rows.count()).toBe(left - 1);
  }
  await threads.getByRole("link", { name: "Trash" }).click();
  const thrown = ada.page.locator("main").getByRole("listitem");
  await expect.poll(async () => await thrown.count()).toBe(2);
  await thrown.first().getByRole("button", { name: "Restore" }).click();
  await expect.poll(async () => await thrown.count()).toBe(1);
  await thrown.getByRole("button", { name: /^Permanently delete / }).click();
  const box = ada.page.getByRole("dialog", { name: "Delete permanently" });
  // Enter cancels.
  await ada.page.keyboard.press("Enter");
  await box.waitFor({ state: "detached" });
  expect(await thrown.count()).toBe(1);
  await thrown.getByRole("button", { name: /^Permanently delete / }).click();
  await box.getByRole("button", { name: "Delete permanently" }).click();
  await ada.page.getByText("The trash is empty.").waitFor();
  await showThreads(ada.page);
  expect(await rows.count()).toBe(1);
});

test("shows threads deleted in another tab in the trash at once", async ({ ada }) => {
  const { ask, settled, threads } = chat(ada.page);
  await ask("A shared kettle tokens=2");
  await settled();
  const other = await ada.tab("/trash");
  await other.getByText("The trash is empty.").waitFor();
  const row = threads.getByRole("listitem").first();
  await row.hover();
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await ada.page.getByRole("menuitem", { name: "Delete", exact: true }).click();
  await other.locator("main").getByRole("listitem").waitFor();
});

test("moves the focus to the next row after a restore, and to the page after the last one", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { ask, settled, threads } = chat(ada.page);
  for (const title of ["A brass kettle", "A copper kettle"]) {
    await ada.page.goto(environment.server.url);
    await ask(`${title} tokens=2`);
    await settled();
  }
  for (let left = 1; left >= 0; left--) {
    await threads.getByRole("listitem").first().getByRole("link").press("Delete");
    await expect.poll(async () => await threads.getByRole("listitem").count()).toBe(left);
  }
  await ada.page.goto(`${environment.server.url}/trash`);
  const focused = async () =>
    await ada.page.evaluate(
      () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.id,
    );
  const rows = ada.page.locator("main").getByRole("listitem");
  await rows.first().waitFor();
  const [first, second] = await rows.getByRole("button", { name: /^Restore/ }).all();
  const last = await second!.getAttribute("aria-label");
  await first!.focus();
  await ada.page.keyboard.press("Enter");
  await expect.poll(focused).toBe(last);
  await ada.page.keyboard.press("Enter");
  await ada.page.getByText("The trash is empty.").waitFor();
  await expect.poll(focused).toBe("main");
});
