import OpenAI from "openai";
import { expect, test } from "vitest";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

test("creates a key that a program can use, shows it once, and revokes it", async () => {
  const { url, ownerLink } = environment.server;
  const olga = await visit(environment.browser, url, { path: ownerLink });
  const { page } = olga;
  await page.waitForURL(`${url}/`);
  await page.goto(`${url}/settings/keys`);
  await page.getByText("No keys yet.").waitFor();

  await page.getByRole("button", { name: "Create key" }).click();
  expect(await page.getByLabel("Name").evaluate((field: HTMLInputElement) => field.validity.valid)).toBe(
    false,
  );
  await page.getByLabel("Name").fill("My editor");
  await page.getByLabel("Expires").selectOption({ label: "In 90 days" });
  await page.getByLabel("Name").press("Enter");
  const dialog = page.getByRole("dialog", { name: "Your new key" });
  const apiKey = await dialog.getByRole("textbox").inputValue();
  await dialog.getByRole("button", { name: "Close" }).click();
  const row = page.getByRole("listitem").filter({ hasText: "My editor" });
  await row.getByText("Never used").waitFor();
  expect(await page.content()).not.toContain(apiKey);

  const baseURL = await page.getByLabel("Base URL").inputValue();
  const client = new OpenAI({ apiKey, baseURL, maxRetries: 0 });
  const { data } = await client.models.list();
  expect(data.map(({ id }) => id)).toContain("assistant/default");

  await page.reload();
  await row.getByText(/^Used /).waitFor();
  await row.getByRole("button", { name: "Revoke My editor" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("No keys yet.").waitFor();
  await expect(client.models.list()).rejects.toMatchObject({ status: 401 });
});

test("offers no keys to a guest", async () => {
  const guest = await visit(environment.browser, environment.server.url);
  await guest.page.goto(`${environment.server.url}/settings/sessions`);
  await guest.page.getByRole("link", { name: "Sessions" }).first().waitFor();
  expect(await guest.page.getByRole("link", { name: "API keys" }).count()).toBe(0);
});
