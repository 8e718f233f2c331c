import { afterAll, beforeAll, expect, test } from "vitest";
import { startGitHubServer } from "../../fixtures/openid-provider/github-server.ts";
import { startOpenIdProvider, type OpenIdProvider } from "../../fixtures/openid-provider/openid-provider.ts";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });
let provider: OpenIdProvider;
beforeAll(async () => {
  provider = await startOpenIdProvider();
  provider.people.set("ben", { name: "Ben", email: "ben@corp.example", email_verified: true });
  provider.people.set("eve", { name: "Eve", email: "eve@corp.example", email_verified: false });
});
afterAll(async () => await provider?.close());

test("the owner adds a provider, and a guest signs in with it, with their chats", async () => {
  const { browser, server } = environment;
  const olga = await visit(browser, server.url, { path: server.ownerLink, networkErrorsExpected: true });
  const { page } = olga;
  await page.waitForURL(`${server.url}/`);
  await page.goto("/sign-up");
  await page.getByLabel("Name", { exact: true }).fill("Olga");
  await page.getByLabel("E-mail address").fill("olga@example.com");
  await page.getByLabel("New password").fill("correct horse battery");
  await page.getByText("Anyone who can open it").click();
  await page.getByRole("main").getByRole("button", { name: "Create your account" }).click();
  await page.waitForURL(`${server.url}/`);
  await page.goto("/admin/sign-in");
  await page.getByRole("link", { name: "Add a provider" }).click();
  await page.getByLabel("Service", { exact: true }).selectOption("keycloak");
  await page.getByLabel("Name", { exact: true }).fill("Work");
  provider.allowRedirect(await page.getByLabel("Redirect URI").inputValue());
  await page.getByLabel("Issuer URL").fill("http://127.0.0.1:9");
  await page.getByLabel("Client ID").fill(provider.client.client_id);
  await page.getByLabel("Client secret").fill(provider.client.client_secret);
  await page.getByRole("checkbox", { name: "Everyone at this provider" }).check();
  await page.getByRole("button", { name: "Add provider" }).click();
  await page.getByText("Nothing that people could sign in with answers at this address.").waitFor();
  await page.getByLabel("Issuer URL").fill(provider.issuer);
  await page.getByRole("button", { name: "Add provider" }).click();
  await page.getByText("People can now sign in with Work.").waitFor();

  const ben = await visit(browser, server.url, {
    width: 390,
    networkErrorsExpected: true,
    service: provider.issuer,
  });
  await chat(ben.page).ask("Written as a guest tokens=3");
  await chat(ben.page).settled();
  await ben.page.goto("/sign-in");
  await ben.page.getByRole("button", { name: "Continue with Work" }).click();
  await ben.page.locator("input[name=login]").fill("ben");
  await ben.page.locator("input[name=password]").fill("any");
  await ben.page.locator("button[type=submit]").click();
  await ben.page.waitForURL(`${server.url}/`);
  await ben.page.goto("/settings/account");
  await ben.page.getByRole("button", { name: "Disconnect Work" }).waitFor();
  // It is the only way to sign in.
  await ben.page.getByRole("button", { name: "Disconnect Work" }).click();
  await ben.page.getByText("This is the only way to sign in for you or for an owner.").waitFor();
  await ben.page.goto("/search?q=guest");
  await ben.page.getByText("Written as a").first().waitFor();
  expect(ben.requests.filter((request) => request.includes("code=")).length).toBeGreaterThan(0);
  await ben.end();

  const eve = await visit(browser, server.url, {
    path: "/sign-in",
    networkErrorsExpected: true,
    service: provider.issuer,
  });
  await eve.page.getByRole("button", { name: "Continue with Work" }).click();
  await eve.page.locator("input[name=login]").fill("eve");
  await eve.page.locator("input[name=password]").fill("any");
  await eve.page.locator("button[type=submit]").click();
  await eve.page.getByText("The provider hasn’t verified your e-mail address.").waitFor();
  expect(eve.page.url()).not.toContain("code=");
  await eve.page.reload();
  await eve.page.getByText("This sign-in was already used or took too long.").waitFor();
  await eve.end();

  // With GitHub, whose page is a stand-in.
  const github = await startGitHubServer();
  const body = { kind: "github", name: "GitHub", issuer: github.url, ...github.client, email_domains: [] };
  await page.evaluate(
    async (text) => {
      const headers = { "Parlance-Client": "web", "Content-Type": "application/json" };
      await fetch("/v1/sign-in-providers", { method: "POST", headers, body: text });
    },
    JSON.stringify({ ...body, trusts_email: false, admits_everyone: true }),
  );
  const emails = [{ email: "dora@example.com", primary: true, verified: true }];
  const dora = await visit(browser, server.url, {
    path: "/sign-in",
    networkErrorsExpected: true,
    service: github.url,
    prepare: async (context) =>
      await context.route(`${github.url}/login/oauth/authorize?*`, async (route) => {
        const back = github.agree(route.request().url(), { id: 7, login: "dora", name: "Dora", emails });
        const script = `<script>location.replace(${JSON.stringify(back.href)})</script>`;
        await route.fulfill({ contentType: "text/html", body: script });
      }),
  });
  await dora.page.getByRole("button", { name: "Continue with GitHub" }).click();
  await dora.page.waitForURL(`${server.url}/`);
  await dora.page.goto("/settings/account");
  await dora.page.getByRole("button", { name: "Disconnect GitHub" }).waitFor();
  await dora.end();
  await github.close();
});
