import { expect, test } from "vitest";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";

const environment = startEnvironment({ model: false });

test("an administrator sees the server's health, and checks everything", async () => {
  const olga = await visitWithOwnerAccount(environment);
  const { page } = olga;
  await page.goto("/admin/people");
  await page.getByRole("link", { name: "Health" }).click();
  await page.getByText(/^SQLite \d/).waitFor();
  await page.getByText(/ free of /).waitFor();
  await page.getByText("Not recognized. To add it: npm run cli -- add ocr").waitFor();
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByText(/No problems found by \d+ checks/).waitFor();
  expect(await page.getByRole("button", { name: "Check now" }).isEnabled()).toBe(true);
  // It fails without losing the page.
  await page.route("**/v1/admin/health/check", async (route) => await route.abort());
  await page.getByRole("button", { name: "Check now" }).click();
  await page.locator("[data-tone=danger]").waitFor();
});
