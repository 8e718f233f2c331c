import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Receipt } from "../../contract/endpoints/receipts.ts";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("the receipt of an answer shows the bytes that the model received, and is copied as JSON", async () => {
  const { page } = await visit(environment.browser, environment.server.url);
  await chat(page).ask('Add it up. tool=calculate("2+2") tokens=4');
  await chat(page).answers.first().waitFor();
  await chat(page).settled();
  await chat(page).answers.first().getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Show what was sent" }).click();
  const dialog = page.getByRole("dialog", { name: "Receipt" });
  await dialog.getByText("All requests went to addresses in the server’s own network.").waitFor();
  const received = environment.model.requests.filter(
    ({ body, rawBody }) => rawBody.includes("Add it up") && body?.tools !== undefined,
  );
  expect(received).toHaveLength(2);
  const hashes = received.map(({ rawBody }) => createHash("sha256").update(rawBody).digest("hex"));
  for (const step of ["Step 1", "Step 2"]) await dialog.getByText(step).waitFor();
  // The last request is open.
  const summary = dialog.getByText("Step 2");
  if (!(await dialog.getByText(hashes[1]!).isVisible())) await summary.click();
  await dialog.getByText(hashes[1]!).waitFor();
  await dialog.getByRole("rowheader", { name: "Result of calculate" }).first().waitFor();
  await dialog.getByRole("button", { name: "Copy as JSON" }).click();
  const copied = JSON.parse(await page.evaluate(async () => await navigator.clipboard.readText())) as Receipt;
  expect(copied.requests.slice(0, 2).map((request) => request.body_sha256)).toEqual(hashes);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});
