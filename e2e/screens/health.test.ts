import { afterAll, expect, test } from "vitest";
import { startReleasePublisher } from "../../fixtures/release-publisher.ts";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";

const publisher = await startReleasePublisher();
publisher.publish(JSON.stringify({ version: "99.1.0", homepage: "https://example.com/notes" }));
afterAll(publisher.close);
const environment = startEnvironment({
  model: false,
  env: { UPDATE_URL: publisher.url, FETCH_ALLOWED_HOSTS: publisher.host },
});

test("an administrator sees the server's health, checks everything, and looks for a newer release", async () => {
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
  // Nobody was asked for a newer release until now.
  const look = page.getByRole("checkbox", { name: /Look for a newer release/ });
  await page.getByText(`asks ${publisher.host} for the version`).waitFor();
  expect(await look.isChecked()).toBe(false);
  expect(publisher.requests).toEqual([]);
  await look.check();
  await page.getByText("Version 99.1.0 is available.").waitFor();
  const notes = page.getByRole("link", { name: "What is new in 99.1.0" });
  expect(await notes.getAttribute("href")).toBe("https://example.com/notes");
  await page.getByText("git pull && npm start").waitFor();
  await page.reload();
  await page.getByText("Version 99.1.0 is available.").waitFor();
  expect(publisher.requests.map(({ url }) => url)).toEqual(["/parlance-server/latest"]);
  // It fails without losing the page.
  await page.route("**/v1/admin/health/check", async (route) => await route.abort());
  await page.getByRole("button", { name: "Check now" }).click();
  await page.locator("[data-tone=danger]").waitFor();
});
