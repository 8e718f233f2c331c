import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

const picker = (page: Page) => page.getByRole("button", { name: /^(Assistant|Model): / });
const chosenIn = async (page: Page) => (await picker(page).getAttribute("aria-label")) ?? "";

test("filters a long list of models by typing, on a phone", async () => {
  const ids = ["gpt-4o-mini-2024-07-18", ...Array.from({ length: 40 }, (_, n) => `local-${n}`)];
  const ada = await visit(environment.browser, environment.server.url, {
    width: 390,
    height: 640,
    prepare: async (context) =>
      await context.route("**/v1/models", async (route) => {
        const models = ids.map((id) => ({
          id,
          name: id === ids[0] ? "GPT-4o mini" : id,
          provider: "x",
          reads: id === ids[0] ? ["image", "pdf"] : [],
          efforts: id === ids[0] ? ["low", "high"] : [],
          tools: id === ids[0] ? true : null,
          output_tokens: null,
          is_local: false,
          context_tokens: id === ids[0] ? 128_000 : null,
          prices: id === ids[0] ? { input: 0.15, output: 0.6, cached: null } : null,
        }));
        await route.fulfill({ json: { models, default_model: "local-30" } });
      }),
  });
  const { page } = ada;
  await picker(page).click();
  const items = page.getByRole("menuitemradio");
  const checked = page.getByRole("menuitemradio", { name: "local-30" });
  await checked.waitFor();
  const menu = (await page.getByRole("menu").boundingBox())!;
  expect(menu.y).toBeGreaterThanOrEqual(0);
  expect(menu.y + menu.height).toBeLessThanOrEqual(640);
  const row = (await checked.boundingBox())!;
  expect(row.y).toBeGreaterThanOrEqual(menu.y);
  expect(row.y + row.height).toBeLessThanOrEqual(menu.y + menu.height);
  expect(await violations(page)).toEqual([]);
  // The chosen model has the focus, and typing goes to the field.
  await page.keyboard.type("nothing");
  await page.getByText("No results.").waitFor();
  await page.getByRole("textbox", { name: "Filter by name" }).fill("");
  await page.keyboard.type("mini 07-18");
  await expect
    .poll(async () => await items.allInnerTexts())
    .toEqual(["GPT-4o mini\n128K context · $0.15 / $0.6 per 1M · gpt-4o-mini-2024-07-18"]);
  for (const name of ["Images", "PDF files", "Tools", "Thinking"])
    await items.getByRole("img", { name, exact: true }).waitFor();
  expect(await items.getByRole("img", { name: "Audio" }).count()).toBe(0);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(async () => await chosenIn(page)).toContain("GPT-4o mini");
  await page.getByRole("button", { name: "Thinking: Default" }).click();
  await page.getByRole("menuitemradio", { name: "High" }).click();
  await page.getByRole("button", { name: "Thinking: High" }).waitFor();
  await picker(page).click();
  await page.getByRole("menuitem", { name: "Add GPT-4o mini to favourites" }).click();
  await picker(page).click();
  expect(await page.getByRole("group", { name: "Favourite models" }).innerText()).toContain("GPT-4o mini");
  expect(await items.filter({ hasText: "local" }).count()).toBe(40);
  await page.keyboard.type("local-7");
  await page.keyboard.press("Enter");
  await expect.poll(async () => await chosenIn(page)).toContain("local-7");
  expect(await page.getByRole("button", { name: /^Thinking/ }).count()).toBe(0);
  // The models that were chosen last come next, the newest first.
  await picker(page).click();
  const namesOf = async (group: string) => await page.getByRole("group", { name: group }).innerText();
  expect(await namesOf("Recent models")).toMatch(/local-7$/);
  await page.getByRole("menuitemradio", { name: "local-9" }).click();
  await page.reload();
  await picker(page).click();
  expect(await namesOf("Recent models")).toMatch(/local-7\nlocal-9$|local-9\nlocal-7$/);
  expect(await namesOf("Favourite models")).toContain("GPT-4o mini");
});

test("finds models by their provider where only local ones may answer, and chooses only among those", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    prepare: async (context) =>
      await context.route("**/v1/models", async (route) => {
        const models = Array.from({ length: 12 }, (_, n) => ({
          id: `${n % 2 === 0 ? "far" : "near"}/model-${n}`,
          name: `model-${n}`,
          provider: n % 2 === 0 ? "far" : "near",
          provider_name: n % 2 === 0 ? "Cloudy" : "Cellar",
          reads: [],
          efforts: [],
          tools: null,
          output_tokens: null,
          is_local: n % 2 === 1,
          context_tokens: null,
          prices: null,
        }));
        await route.fulfill({ json: { models, default_model: "near/model-3", local_only: true } });
      }),
  });
  const { page } = ada;
  await picker(page).click();
  const items = page.getByRole("menuitemradio");
  await items.first().waitFor();
  await page.keyboard.type("cloudy");
  await expect.poll(async () => await items.count()).toBe(6);
  expect(await items.first().innerText()).toContain("Not available: not a local model · Cloudy");
  await page.getByRole("textbox", { name: "Filter by name" }).fill("model-1");
  await expect
    .poll(async () => (await items.allInnerTexts()).map((name) => name.split("\n")[0]))
    .toEqual(["model-1", "model-10", "model-11"]);
  await page.getByRole("textbox", { name: "Filter by name" }).fill("model");
  await expect.poll(async () => await items.count()).toBe(12);
  await page.keyboard.press("Enter");
  await expect.poll(async () => await chosenIn(page)).toContain("model-1");
});

test("an assistant whose own model is elsewhere is not available in a chat for local models", async () => {
  const { browser, server, model } = environment;
  const owner = await visit(browser, server.url, { path: server.ownerLink });
  const { page } = owner;
  await page.waitForURL(`${server.url}/`);
  await page.evaluate(
    async (baseUrl) => {
      const create = async (path: string, body: object): Promise<Record<string, { id: string }>> => {
        const headers = { "Parlance-Client": "web", "Content-Type": "application/json" };
        return await (await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
      };
      // Ollama passes requests for such a model on.
      const models = [{ id: "big:cloud", name: "" }];
      const { provider } = await create("/v1/providers", {
        kind: "ollama",
        name: "Ollama",
        base_url: baseUrl,
        models,
      });
      await create("/v1/assistants", { name: "Pilot", model: `${provider!.id}/big:cloud` });
      await create("/v1/assistants", { name: "Cook" });
    },
    model.url.replace("/v1", ""),
  );
  await page.goto(server.url);
  await chat(page).ask("Stay here tokens=2");
  await chat(page).settled();
  const pilot = (role: "menuitem" | "menuitemradio") => page.getByRole(role, { name: /^Pilot/ });
  await picker(page).click();
  await pilot("menuitemradio").waitFor();
  expect(await pilot("menuitemradio").isDisabled()).toBe(false);
  await page.keyboard.press("Escape");
  const row = chat(page).threads.getByRole("listitem").first();
  await row.hover();
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Allow local models only" }).click();
  await picker(page).click();
  await pilot("menuitemradio").getByText("Not available: its model is not local").waitFor();
  expect(await pilot("menuitemradio").isDisabled()).toBe(true);
  expect(await page.getByRole("menuitemradio", { name: "Cook" }).isDisabled()).toBe(false);
  await page.keyboard.press("Escape");
  await chat(page).answers.last().getByRole("button", { name: "Regenerate with…" }).click();
  expect(await pilot("menuitem").isDisabled()).toBe(true);
  expect(await page.getByRole("menuitem", { name: "Cook" }).isDisabled()).toBe(false);
});
