import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount, ownerPassword as password } from "../support/owner-account.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

async function call(page: Page, method: string, path: string, body?: object): Promise<unknown> {
  return await page.evaluate(
    async ([how, where, text]) => {
      const headers = { "Parlance-Client": "web", "Content-Type": "application/json" };
      const answer = await fetch(where, { method: how, headers, ...(text === "" ? {} : { body: text }) });
      return (await answer.json()) as unknown;
    },
    [method, path, body === undefined ? "" : JSON.stringify(body)] as const,
  );
}

test("somebody asks for an account, an administrator approves it, and every page is usable at 390 pixels", async () => {
  const { browser, server } = environment;
  const olga = await visitWithOwnerAccount(environment);
  const { page } = olga;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/admin/sign-in");
  await page.getByText("Anyone can ask. You decide under People.").click();
  await page.getByRole("main").getByRole("button", { name: "Save" }).first().click();
  await page.getByText("Saved.").last().waitFor();

  const ask = async (name: string) => {
    const person = await visit(browser, server.url, {
      path: "/sign-up",
      width: 390,
      networkErrorsExpected: true,
    });
    await person.page.getByLabel("Name", { exact: true }).fill(name);
    await person.page.getByLabel("E-mail address").fill(`${name.toLowerCase()}@example.com`);
    await person.page.getByLabel("New password").fill(password);
    await person.page.getByRole("button", { name: "Create your account", exact: true }).click();
    await person.page.getByRole("heading", { name: "Your request was sent" }).waitFor();
    return person;
  };
  const ada = await ask("Ada");
  await (await ask("Wilhelmina-Alexandra-von-und-zu-Hohenstein")).end();
  await page.goto("/admin/people");
  await page.getByRole("button", { name: "Approve Ada" }).click();
  await page.getByText("ada@example.com").waitFor();
  await ada.page.goto("/sign-in");
  await ada.page.getByLabel("E-mail address").fill("ada@example.com");
  await ada.page.getByLabel("Password", { exact: true }).fill(password);
  await ada.page.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).click();
  await ada.page.waitForURL(`${server.url}/`);
  await ada.end();

  await call(page, "POST", "/v1/groups", { name: "Everybody-who-works-in-the-greenhouse-at-night" });
  await call(page, "POST", "/v1/invitations", { role: "admin", note: "Ben" });
  await call(page, "POST", "/v1/admin/apps", { name: "A shop for plants and everything else" });
  await call(page, "POST", "/v1/assistants", { name: "Botanist" });
  await page.goto("/admin");
  await page.getByRole("link", { name: "People", exact: true }).waitFor();
  const links = page.getByRole("navigation", { name: "Administration pages" }).getByRole("link");
  const paths = await links.evaluateAll((all) => all.map((each) => each.getAttribute("href")!));
  const pages = paths.filter((path) => path.startsWith("/admin/"));
  expect(pages.length).toBeGreaterThan(8);
  for (const path of ["/admin", ...pages]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByRole("status", { name: /^Loading/ }).waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(390);
    expect(await violations(page), path).toEqual([]);
  }
  await page.goto("/admin/assistants");
  await page.getByRole("link", { name: "Botanist" }).click();
  await page.getByLabel("Name", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForURL(`${server.url}/admin/assistants`);

  await page.keyboard.press("Control+k");
  await page.keyboard.type("shared");
  await page.getByRole("option", { name: "Go to shared chats" }).waitFor();
  await page.getByRole("combobox").fill("budgets");
  await page.getByRole("option", { name: "Administration: Budgets" }).click();
  await page.getByLabel("Find a group or a person").fill("ada");
  await page.getByRole("button", { name: "Set a budget for Ada" }).waitFor();
  const none = page.getByText(/^No one’s name or address contains/);
  expect(await none.count()).toBe(0);
  await page.getByLabel("Find a group or a person").fill("nobody");
  await none.waitFor();
});
