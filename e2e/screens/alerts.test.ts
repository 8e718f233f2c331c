import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";

const environment = startEnvironment({ ownServer: true });

const isScrolledSideways = async (page: Page) =>
  await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

test("an administrator adds an alert rule, changes it, and reads that no e-mail can be sent", async () => {
  const { page } = await visitWithOwnerAccount(environment);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/admin/apps");
  await page.getByRole("link", { name: "Parlance" }).click();
  await page
    .getByRole("navigation", { name: "Pages of this app" })
    .getByRole("link", { name: "Alerts" })
    .click();
  await page.getByText("No alert rules yet").waitFor();
  await page.getByText("This server can’t send e-mail yet").waitFor();
  await page.getByRole("button", { name: "Add alert rule" }).click();
  await page.getByRole("textbox", { name: "Limit in percent" }).fill("200");
  await page.getByRole("button", { name: "Add alert rule" }).click();
  await page.getByText("Enter a number from 0 to 100.").waitFor();
  await page.getByRole("combobox", { name: "Watch" }).selectOption("No runs");
  await page.getByRole("textbox", { name: "Time in minutes" }).fill("120");
  await page.getByRole("button", { name: "Add alert rule" }).click();
  await page.getByText("No run begins").waitFor();
  await page.getByText("Within 120 minutes").waitFor();
  expect(await isScrolledSideways(page)).toBe(false);
  await page.getByRole("button", { name: "Edit: No run begins" }).click();
  await page.getByRole("checkbox", { name: "On" }).uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Off", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Delete: No run begins" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No alert rules yet").waitFor();
});
