import { expect, test } from "vitest";
import { chat, eventually } from "./support/chat.ts";
import { openStage } from "./support/stage.ts";
import { visit } from "./support/visit.ts";

const stage = openStage();

test("keeps a deleted thread in the trash, from where it comes back or goes for good", async () => {
  const ada = await visit(stage.browser, stage.server.url);
  const { ask, settled, threads } = chat(ada.page);
  for (const title of ["First lantern", "Second lantern"]) {
    await ada.page.goto(stage.server.url);
    await ask(`${title} tokens=2`);
    await settled();
  }
  const rows = threads.getByRole("listitem");
  await eventually(
    async () => await rows.count(),
    (count) => expect(count).toBe(2),
  );
  for (let left = 2; left > 0; left--) {
    await rows.first().hover();
    await rows
      .first()
      .getByRole("button", { name: /^Actions for/ })
      .click();
    await ada.page.getByRole("menuitem", { name: "Delete", exact: true }).click();
    await eventually(
      async () => await rows.count(),
      (count) => expect(count).toBe(left - 1),
    );
  }
  await threads.getByRole("link", { name: "Trash" }).click();
  const thrown = ada.page.locator("main").getByRole("listitem");
  await eventually(
    async () => await thrown.count(),
    (count) => expect(count).toBe(2),
  );
  await thrown.first().getByRole("button", { name: "Restore" }).click();
  await eventually(
    async () => await rows.count(),
    (count) => expect(count).toBe(1),
  );
  await eventually(
    async () => await thrown.count(),
    (count) => expect(count).toBe(1),
  );
  await thrown.getByRole("button", { name: "Delete for good" }).click();
  const box = ada.page.getByRole("dialog", { name: "Delete for good" });
  // Enter does what is harmless.
  await ada.page.keyboard.press("Enter");
  await box.waitFor({ state: "detached" });
  expect(await thrown.count()).toBe(1);
  await thrown.getByRole("button", { name: "Delete for good" }).click();
  await box.getByRole("button", { name: "Delete for good" }).click();
  await ada.page.getByText("The trash is empty.").waitFor();
  await ada.end();
});

test("shows in the trash at once what another tab throws away", async () => {
  const ada = await visit(stage.browser, stage.server.url);
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
  await ada.end();
});
