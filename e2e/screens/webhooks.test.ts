import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";

const environment = startEnvironment({ ownServer: true });

const isScrolledSideways = async (page: Page) =>
  await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

test("an administrator adds a webhook on a phone, tests it, renews its secret, and turns it off", async () => {
  const { page } = await visitWithOwnerAccount(environment);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/admin/apps");
  await page.getByRole("link", { name: "Parlance" }).click();
  const views = page.getByRole("navigation", { name: "Pages of this app" });
  await views.getByRole("link", { name: "Webhooks" }).click();
  await page.getByText("No webhooks yet").waitFor();
  await page.getByRole("button", { name: "Add webhook" }).click();
  await page.getByRole("button", { name: "Add webhook" }).click();
  await page.getByText("Enter a URL that begins with").waitFor();
  // Without an address that the operator allows, it cannot be reached.
  await page
    .getByRole("textbox", { name: "URL" })
    .fill("http://localhost/a-long-path-that-goes-on-and-on/and-on");
  await page.getByRole("checkbox", { name: "Feedback was given" }).check();
  await page.getByRole("button", { name: "Add webhook" }).click();
  const dialog = page.getByRole("dialog");
  const secret = await dialog.getByRole("textbox", { name: "Secret" }).inputValue();
  expect(secret).toMatch(/^whsec_/);
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("heading", { name: "localhost" }).waitFor();
  expect(await page.content()).not.toContain(secret);

  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("Not reached").waitFor();
  await page.getByRole("button", { name: "Send again: Test" }).click();
  await page.getByText("2 attempts").waitFor();
  expect(await isScrolledSideways(page)).toBe(false);

  await page.getByRole("button", { name: "Create new secret" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create new secret" }).click();
  expect(await dialog.getByRole("textbox", { name: "Secret" }).inputValue()).not.toBe(secret);
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByText("signed with the old secret too").waitFor();

  await page.getByRole("button", { name: "Turn off" }).click();
  await page.getByText("This webhook is off").waitFor();
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByRole("button", { name: "Send a test" }).waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByText("No webhooks yet").waitFor();
});
