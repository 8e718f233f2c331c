import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { newAddress } from "#tests/support/clients/visitor.ts";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { ownerPassword, visitWithOwnerAccount } from "../support/owner-account.ts";
import { visit } from "../support/visit.ts";

const open = startEnvironment({ ownServer: true });
const closed = startEnvironment({ ownServer: true });

const isScrolledSideways = async (page: Page) =>
  await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

/** A stranger's request for an anonymous token. */
const statusOfSignUp = async (url: string) =>
  (await fetch(`${url}/v1/auth/tokens/anonymous`, { method: "POST", headers: newAddress() })).status;

test("the first account lets anyone in with a budget, and the administration says so until it is turned off", async () => {
  const { browser, server } = open;
  const olga = await visit(browser, server.url, {
    path: server.ownerLink,
    width: 390,
    networkErrorsExpected: true,
    asksForAccount: true,
  });
  const { page } = olga;
  await page.getByRole("group", { name: "Who may use this server?" }).waitFor();
  expect(await page.getByRole("radio", { name: "Only people I invite" }).isChecked()).toBe(true);
  await page.getByLabel("Name", { exact: true }).fill("Olga");
  await page.getByLabel("E-mail address").fill("olga@example.com");
  await page.getByLabel("New password").fill(ownerPassword);
  await page.getByText("Anyone who can open it").click();
  const budget = page.getByLabel("Tokens per day for all guests together");
  expect(await budget.inputValue()).toBe("200000");
  await budget.fill("many");
  const create = page.getByRole("button", { name: "Create your account", exact: true });
  await create.click();
  await page.getByText("Enter a whole number from 1 to").waitFor();
  expect(await isScrolledSideways(page)).toBe(false);
  await budget.fill("5000");
  await create.click();
  await page.waitForURL(`${server.url}/`);
  const guest = await visit(browser, server.url, { networkErrorsExpected: true });
  await chat(guest.page).composer.waitFor();
  expect(await statusOfSignUp(server.url)).toBe(403);

  await page.goto("/admin/people");
  await page.getByRole("heading", { name: "Open to guests" }).waitFor();
  await page.getByText("Guests share a budget: 0 of 5,000 tokens today.").waitFor();
  expect(await isScrolledSideways(page)).toBe(false);
  await page.getByRole("link", { name: "Open to guests" }).click();
  await page.getByRole("checkbox", { name: "Allow guests" }).uncheck();
  await page.getByRole("main").getByRole("button", { name: "Save" }).first().click();
  await page.getByRole("link", { name: "Open to guests" }).waitFor({ state: "detached" });
  await guest.page.goto("/");
  await guest.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goto("/admin/people");
  await page.getByText("olga@example.com").waitFor();
  expect(await page.getByText("Open to guests").count()).toBe(0);
});

test("only invited people get in by default, and an administrator opens one app", async () => {
  const { browser, server } = closed;
  const olga = await visitWithOwnerAccount(closed);
  const { page } = olga;
  const stranger = await visit(browser, server.url, { networkErrorsExpected: true });
  await stranger.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await stranger.end();
  expect(await statusOfSignUp(server.url)).toBe(403);

  await page.goto("/admin/apps");
  await page.getByRole("main").getByRole("link", { name: "Parlance" }).click();
  await page.getByRole("link", { name: "Access" }).click();
  const form = page.getByRole("region", { name: "Anonymous visitors" });
  await form.getByRole("checkbox", { name: "Issue anonymous tokens" }).check();
  expect(await form.getByLabel("Tokens per day").inputValue()).toBe("200000");
  await form.getByText("Only these models").click();
  await form.getByRole("checkbox", { name: "Built-in assistant" }).check();
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  expect(await statusOfSignUp(server.url)).toBe(200);
  await page.getByRole("link", { name: "Apps open to anyone" }).waitFor();

  await page.goto("/admin/people");
  await page.getByText("Anyone can use these apps with an anonymous token:").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Parlance" }).click();
  await form.getByText("0 of 200,000 tokens today").waitFor();
  expect(await form.getByRole("checkbox", { name: "Built-in assistant" }).isChecked()).toBe(true);
  await form.getByRole("checkbox", { name: "Issue anonymous tokens" }).uncheck();
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Apps open to anyone" }).waitFor({ state: "detached" });
  expect(await statusOfSignUp(server.url)).toBe(403);
});
