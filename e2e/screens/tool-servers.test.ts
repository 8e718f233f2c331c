import { afterAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { startOpenIdProvider } from "#fixtures/openid-provider/openid-provider.ts";
import { echo, startToolServer } from "#fixtures/tool-server.ts";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";

const environment = startEnvironment({ ownServer: true });
const target = await startToolServer();
const signInServer = await startOpenIdProvider({ forToolServers: true });
afterAll(async () => await Promise.all([target.close(), signInServer.close()]));

const isScrolledSideways = async (page: Page) =>
  await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

test("an administrator adds a tool server on a phone and tests it, and a person signs in and out", async () => {
  const { page } = await visitWithOwnerAccount(environment, { service: signInServer.issuer });
  await page.setViewportSize({ width: 390, height: 844 });
  target.tools = [
    echo("echo", { title: "Repeat", annotations: { readOnlyHint: true } }),
    echo("water_the_plants"),
    echo("broken", { inputSchema: { type: "array" } }),
  ];
  await page.goto("/admin/tools");
  await page.getByText("No tool servers yet").waitFor();
  await page.getByRole("button", { name: "Another server" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Garden");
  await page.getByRole("button", { name: "Add tool server" }).click();
  await page.getByText("Enter a URL that begins with").waitFor();
  await page.getByRole("textbox", { name: "URL" }).fill(target.endpoint);
  expect(await isScrolledSideways(page)).toBe(false);
  await page.getByRole("button", { name: "Add tool server" }).click();
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("with 2 tools").waitFor();
  await page.getByText("Repeat").click();
  await page.getByText("Returns its text: echo.").waitFor();
  await page.getByText("1 tool can’t be used:").waitFor();
  expect(await isScrolledSideways(page)).toBe(false);

  await page.getByRole("button", { name: "Turn off" }).click();
  await page.getByText("Off", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Turn on" }).click();

  target.accepts = async (token) => (await signInServer.scopesOf(token, target.endpoint)) !== undefined;
  target.metadata = {
    resource: target.endpoint,
    authorization_servers: [signInServer.issuer],
    scopes_supported: ["tools:read"],
  };
  signInServer.allowRedirect(`${new URL(page.url()).origin}/settings/tools`);
  await page.goto("/settings/tools");
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("Sign in to this tool server first.").waitFor();
  await page.getByRole("button", { name: "Sign in" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(new URL(signInServer.issuer).host).waitFor();
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await page.locator('input[name="login"]').fill("ada");
  await page.locator('input[name="password"]').fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("Signed in to Garden.").waitFor();
  expect(new URL(page.url()).search).toBe("");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("Sign-in needed").waitFor();

  await page.goto("/admin/tools");
  await page.getByRole("button", { name: "Remove" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText("No tool servers yet").waitFor();
});
