import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listenLocally } from "../../fixtures/local-server.ts";
import { startModelServer, type ModelServer } from "../../fixtures/model-server/model-server.ts";
import { startOpenIdProvider, type OpenIdProvider } from "../../fixtures/openid-provider/openid-provider.ts";
import { gardenPng } from "../../tests/support/data/files.ts";
import { freePort } from "../../tests/support/postgres/postgres-cluster.ts";
import { chat } from "../support/chat.ts";
import { launchChromium } from "../support/chromium.ts";
import { forward } from "../support/counting-proxy.ts";
import { drop, uploaded } from "../support/drop.ts";
import { startServer, type ServerProcess } from "../support/server.ts";
import { storeThread } from "../support/store-thread.ts";
import { visit } from "../support/visit.ts";

let browser: Browser;
let model: ModelServer;
let provider: OpenIdProvider;
const servers: ServerProcess[] = [];
let close: (() => Promise<void>) | undefined;

// One host with two servers. The proxy removes the path of the first, and passes on that of the second.
beforeAll(async () => {
  const pem = await readFile(new URL("../support/self-signed.pem", import.meta.url));
  const [port, otherPort] = [await freePort(), await freePort()];
  const proxy = createServer({ key: pem, cert: pem }, (request, response) => {
    const [, path, rest] = /^(\/[^/?]*)(.*)$/.exec(request.url ?? "")!;
    if (path === "/chat") {
      request.url = rest!.startsWith("/") ? rest! : `/${rest}`;
      forward(`http://127.0.0.1:${port}`, request, response);
    } else if (path === "/other") forward(`http://127.0.0.1:${otherPort}`, request, response);
    else response.writeHead(404).end();
  });
  const local = await listenLocally(proxy);
  close = local.close;
  model = await startModelServer();
  provider = await startOpenIdProvider();
  provider.people.set("ben", { name: "Ben", email: "ben@corp.example", email_verified: true });
  const host = `https://127.0.0.1:${local.port}`;
  const common = { OPENAI_BASE_URL: model.url, OPENAI_MODEL: "fixture-1", TRUST_PROXY: "1" };
  servers.push(
    await startServer({ ...common, PORT: String(port), PUBLIC_URL: `${host}/chat` }),
    await startServer({ ...common, PORT: String(otherPort), PUBLIC_URL: `${host}/other` }),
  );
  browser = await launchChromium(["--ignore-certificate-errors"]);
});
afterAll(async () => {
  await browser?.close();
  for (const server of servers) await server.close();
  await provider?.close();
  await model?.close();
  await close?.();
});

const fillIn = async (page: Page, fields: Record<string, string>, button: string) => {
  for (const [label, text] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByRole("main").getByRole("button", { name: button, exact: true }).click();
};

// A visit fails at its end if the page requested anything that is not below its URL.
test("everything works below a path, without a request outside it, beside another server of the host", async () => {
  const [{ url, ownerLink }, other] = servers as [ServerProcess, ServerProcess];
  expect(ownerLink).toMatch(new RegExp(`^${url}/owner#`));
  const olga = await visit(browser, url, {
    path: ownerLink,
    asksForAccount: true,
    networkErrorsExpected: true,
    other: other.url,
  });
  const { page } = olga;
  const { ask, settled, questions, answers, composer, threads } = chat(page);
  const account = { "E-mail address": "olga@example.com", Password: "correct horse battery" };
  await page.getByLabel("New password").waitFor();
  await page.getByText("Anyone who can open it").click();
  await fillIn(
    page,
    { Name: "Olga", "E-mail address": account["E-mail address"], "New password": account.Password },
    "Create your account",
  );
  await page.waitForURL(/\/chat\/?$/);
  const names = (await olga.context.cookies()).map(({ name, path }) => `${path} ${name}`);
  const cookie = `/chat __Secure-parlance_${new URL(url).port}+chat`;
  expect(names).toEqual([cookie, `${cookie}_browser`]);

  // An answer, a file, and a reload of the thread's own address.
  await drop(page, [{ name: "lake.png", type: "image/png", body: gardenPng.toString("base64") }]);
  await uploaded(page);
  await ask("What is this?");
  await settled();
  await page.waitForURL(/\/chat\/t\/thread_0/);
  const isShown = async (on: Page) =>
    await on
      .getByRole("img", { name: "lake.png" })
      .first()
      .evaluate((image) => (image as HTMLImageElement).naturalWidth > 0);
  await expect.poll(async () => await isShown(page)).toBe(true);
  const address = page.url();
  await page.reload();
  await questions.first().getByText("What is this?").waitFor();
  expect(page.url()).toBe(address);
  await answers.first().waitFor();

  // Pages, with everything that they name.
  for (const path of ["/", "/settings/general", "/docs"]) {
    const named = await page.evaluate(async (from) => {
      const html = await (await fetch(from, { headers: { Accept: "text/html" } })).text();
      const found = [...html.matchAll(/(?:src|href|data-url)="([^"#]+)"|url\((\/[^)]+)\)/g)];
      const addresses = [...new Set(found.map(([, attribute, style]) => attribute ?? style!))];
      return await Promise.all(addresses.map(async (each) => [each, (await fetch(each)).status] as const));
    }, url + path);
    expect(named.length, path).toBeGreaterThan(2);
    for (const [each, status] of named)
      expect([each, status]).toEqual([expect.stringMatching(/^\/chat\//), 200]);
  }

  // A link, read by a stranger without scripts.
  await page
    .getByRole("button", { name: /^Actions for/ })
    .last()
    .click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog", { name: "Share chat" });
  await dialog.getByRole("button", { name: "Link", exact: true }).click();
  await dialog.getByText("Include files").click();
  await dialog.getByRole("button", { name: "Create link" }).click();
  await dialog.getByRole("button", { name: /^Copy the link/ }).click();
  const link = await page.evaluate(async () => await navigator.clipboard.readText());
  expect(link).toMatch(new RegExp(`^${url}/s/`));
  await dialog.getByRole("button", { name: "Close" }).click();
  const stranger = await visit(browser, url, { path: link });
  await stranger.page.getByRole("article").first().getByText("What is this?").waitFor();
  await expect.poll(async () => await isShown(stranger.page)).toBe(true);
  await stranger.page.getByRole("link", { name: "Continue in my own chats" }).click();
  await stranger.page.getByRole("button", { name: "Copy the chat" }).click();
  await stranger.page.waitForURL(/\/chat\/t\/thread_0/);
  await stranger.end();

  // A program in its frame.
  const code = "```html\n<p id=made>made</p><script>made.textContent = 'ran'</script>\n```";
  await page.goto(
    await storeThread(page, [
      { role: "user", content: [{ type: "text", text: "Make" }] },
      { role: "assistant", content: [{ type: "text", text: code }] },
    ]),
  );
  await page.getByRole("button", { name: "Open", exact: true }).click();
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.getByRole("button", { name: "Run" }).click();
  await panel.frameLocator("iframe").getByText("ran").waitFor();

  // Sign-in: of somebody else with a provider, and again of the owner.
  await page.goto(`${url}/admin/sign-in`);
  await page.getByRole("link", { name: "Add a provider" }).click();
  await page.getByLabel("Service", { exact: true }).selectOption("keycloak");
  await page.getByLabel("Name", { exact: true }).fill("Work");
  const redirectUri = await page.getByLabel("Redirect URI").inputValue();
  expect(redirectUri).toMatch(new RegExp(`^${url}/sign-in/callback/`));
  provider.allowRedirect(redirectUri);
  await page.getByRole("checkbox", { name: "Everyone at this provider" }).check();
  const { client_id: id, client_secret: secret } = provider.client;
  await fillIn(
    page,
    { "Issuer URL": provider.issuer, "Client ID": id, "Client secret": secret },
    "Add provider",
  );
  await page.getByText("People can now sign in with Work.").waitFor();
  const ben = await visit(browser, url, {
    path: `${url}/sign-in?to=/settings/account`,
    service: provider.issuer,
  });
  await ben.page.getByRole("button", { name: "Continue with Work" }).click();
  await ben.page.locator("input[name=login]").fill("ben");
  await ben.page.locator("input[name=password]").fill("any");
  await ben.page.locator("button[type=submit]").click();
  await ben.page.waitForURL(`${url}/settings/account`);
  await ben.page.getByRole("button", { name: "Disconnect Work" }).waitFor();
  await ben.end();
  await page.goto(`${url}/settings/account`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${url}/sign-in`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await fillIn(page, account, "Sign in");
  await composer.waitFor();
  await threads.getByRole("listitem").first().waitFor();

  // The other server of the host, in the same browser.
  await composer.fill("half a thought");
  const draft = async (on: Page) =>
    await on.evaluate(() =>
      Object.values(localStorage).some((text: string) => text.includes("half a thought")),
    );
  await expect.poll(async () => await draft(page)).toBe(true);
  const there = await olga.context.newPage();
  await there.goto(`${other.url}/`);
  await chat(there).composer.waitFor();
  expect(await chat(there).composer.inputValue()).toBe("");
  expect(await chat(there).threads.getByRole("listitem").count()).toBe(0);
  await chat(there).ask("Who is here?");
  await chat(there).settled();
  await there.waitForURL(/\/other\/t\/thread_0/);
  await page.reload();
  expect(await composer.inputValue()).toBe("half a thought");
  await threads.getByRole("listitem").first().waitFor();
});
