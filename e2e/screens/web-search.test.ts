import { afterAll, beforeAll, expect, test } from "vitest";
import { articlePage, sendJson, startWebSites, type WebSites } from "#fixtures/web-sites/web-sites.ts";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";

const sites: WebSites = await startWebSites();
const environment = startEnvironment({ env: { FETCH_ALLOWED_HOSTS: `127.0.0.1:${sites.port}` } });
afterAll(async () => await sites.close());

const url = `${sites.url}/roses`;
beforeAll(() => {
  sites.pages = {
    "/roses": articlePage({
      title: "Roses in the sun",
      text: "Roses need six hours of sun a day. ".repeat(12),
    }),
    "/search": (response) =>
      sendJson(response, 200, {
        results: [{ url, title: "Roses in the sun", content: "Six hours of sun." }],
      }),
  };
});

test("the owner enters a search service, and an answer cites a page that was searched, read and allowed", async () => {
  const { page } = await visitWithOwnerAccount(environment);
  await page.goto("/admin/tools");
  const section = page.getByRole("region", { name: "Web search", exact: true });
  await section.getByLabel("Address of your SearXNG server").fill("search");
  await section.getByRole("button", { name: "Save" }).click();
  await section.getByText("Enter an address that begins with").waitFor();
  await section.getByLabel("Address of your SearXNG server").fill(sites.url);
  await section.getByRole("button", { name: "Save" }).click();
  await section.getByRole("button", { name: "Test" }).click();
  await section.getByText("Roses in the sun").waitFor();

  await page.goto("/");
  const composer = page.getByRole("textbox", { name: "Message" });
  await composer.fill(`Look it up [1]. tool=search_web({"query":"roses"}) tool=read_page({"url":"${url}"})`);
  await composer.press("Enter");
  const allow = page.getByRole("button", { name: /^Allow(?: once)?$/ });
  for (const left of [2, 1]) {
    await expect.poll(async () => await allow.count()).toBe(left);
    await allow.first().click();
  }
  const source = page
    .getByRole("link", { name: /Roses in the sun/ })
    .or(page.getByRole("button", { name: /Roses in the sun/ }));
  await source.first().waitFor();
  expect(sites.requests.filter(({ url: path }) => path === "/roses")).toHaveLength(1);
});
