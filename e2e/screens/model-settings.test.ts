import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

test("the owner turns follow-up questions on, which appear once below the newest answer", async () => {
  const { browser, server, model } = environment;
  const suggestionRequests = () =>
    model.requests.filter(({ body }) => JSON.stringify(body ?? "").includes("Suggest up to")).length;
  const owner = await visit(browser, server.url, { path: server.ownerLink });
  const { page } = owner;
  await page.waitForURL(`${server.url}/`);
  const { ask, settled, composer, answers, questions } = chat(page);
  const chips = page.getByRole("list", { name: "Follow-up questions" });
  await ask("Alders stand in water tokens=3");
  await settled();
  await page.waitForURL(/\/t\//);
  const thread = page.url();

  await page.goto(`${server.url}/settings/models`);
  const tasks = page.getByRole("region", { name: "Small tasks" });
  await tasks.getByLabel("Model for small tasks").selectOption({ label: "fixture-1" });
  expect(await tasks.getByRole("checkbox", { name: /^Write chat titles/ }).isChecked()).toBe(true);
  await tasks.getByRole("checkbox", { name: /^Suggest follow-up questions/ }).check();
  await page.reload();
  await expect
    .poll(async () => await tasks.getByRole("checkbox", { name: /^Suggest follow-up/ }).isChecked())
    .toBe(true);
  expect(await tasks.getByLabel("Model for small tasks").inputValue()).toBe("env/fixture-1");
  expect(suggestionRequests()).toBe(0);

  await page.goto(thread);
  await chips.getByRole("button", { name: "Why Alders?" }).waitFor();
  expect(await chips.getByRole("button").count()).toBe(3);
  await page.reload();
  await chips.waitFor();
  expect(suggestionRequests()).toBe(1);
  await composer.fill("Something of my own");
  await chips.waitFor({ state: "detached" });
  await composer.fill("");
  await chips.getByRole("button", { name: "What comes next?" }).click();
  await questions.getByText("What comes next?").waitFor();
  await settled();
  await chips.getByRole("button", { name: "Why What?" }).waitFor();
  expect(await answers.count()).toBe(2);
  expect(await composer.inputValue()).toBe("");

  // Each person can do without them.
  await page.goto(`${server.url}/settings/general`);
  await page.getByRole("checkbox", { name: /^Suggest follow-up questions/ }).uncheck();
  await page.goto(thread);
  await answers.last().waitFor();
  await ask("Birches too tokens=2");
  await settled();
  expect(await chips.count()).toBe(0);
  expect(suggestionRequests()).toBe(2);
});

test("the owner allows local models only, for everyone", async () => {
  const { browser, server } = environment;
  const owner = await visit(browser, server.url, { path: server.ownerLink });
  const { page } = owner;
  await page.waitForURL(`${server.url}/`);
  await page.goto(`${server.url}/settings/models`);
  const local = page
    .getByRole("region", { name: "Privacy" })
    .getByRole("checkbox", { name: /^Local models only/ });
  expect(await local.isChecked()).toBe(false);
  await local.click();
  await expect.poll(async () => await local.isChecked()).toBe(true);
  await page.reload();
  await expect.poll(async () => await local.isChecked()).toBe(true);
  await page.goto(server.url);
  const { ask, settled, answers } = chat(page);
  await ask("From this machine tokens=2");
  await settled();
  await answers.last().waitFor();
  await page.goto(`${server.url}/settings/models`);
  await local.uncheck();
});
