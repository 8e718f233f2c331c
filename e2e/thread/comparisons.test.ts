import type { Page } from "playwright-core";
import { expect } from "vitest";
import { chat } from "../support/chat.ts";
import { drop, fiveFiles, storedFileId, uploaded } from "../support/drop.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

async function compare(page: Page, question: string, { isBlind = false } = {}): Promise<void> {
  await page.getByRole("button", { name: /^Model: / }).click();
  await page.getByRole("menuitem", { name: "Compare models…" }).click();
  const dialog = page.getByRole("dialog", { name: "Compare models" });
  for (const name of ["fixture-1", "fixture-2"]) await dialog.getByRole("checkbox", { name }).check();
  if (isBlind) await dialog.getByRole("checkbox", { name: "Hide the names until I choose" }).check();
  await dialog.getByRole("button", { name: "Compare" }).click();
  await page.getByText("2 models answer side by side").waitFor();
  await chat(page).ask(question);
}

const answers = (page: Page) => page.getByRole("region", { name: "Answers from several models" });

test("two models answer side by side, even after a reload and in a second tab, and the chosen one continues", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const region = answers(page);
  await compare(page, "Which of you? tokens=30 gap=60");
  const [one, two] = ["fixture-1", "fixture-2"].map((name) => region.getByRole("article", { name }));
  await page.waitForURL(/\/t\//);
  for (const answer of [one!, two!])
    await expect.poll(async () => (await answer.innerText()).length).toBeGreaterThan(60);
  const [left, right] = [(await one!.boundingBox())!, (await two!.boundingBox())!];
  expect(right.x).toBeGreaterThan(left.x + left.width - 1);
  await page.reload();
  const tab = await ada.tab(new URL(page.url()).pathname);
  for (const each of [page, tab])
    await answers(each).getByRole("button", { name: "Choose this answer: fixture-2" }).waitFor();
  expect(await chat(page).composer.getAttribute("placeholder")).toBe("Choose an answer to continue");
  expect(await violations(page)).toEqual([]);
  await region.getByRole("button", { name: "Choose this answer: fixture-1" }).press("Enter");
  await page.locator("textarea:focus").and(chat(page).composer).waitFor();
  for (const each of [page, tab]) {
    await chat(each).answers.first().getByText("1 / 2").waitFor();
    expect(await answers(each).count()).toBe(0);
  }
  await chat(page).ask("And then? tokens=2");
  await chat(page).answers.nth(1).waitFor();
  await chat(page).settled();
  expect(environment.model.requests.findLast(({ body }) => body?.["stream"] === true)?.body?.["model"]).toBe(
    "fixture-1",
  );
  await page.goto("/settings/usage");
  const wins = page.getByRole("table", { name: "Comparisons" });
  await wins.getByRole("row", { name: "env/fixture-1 1 1" }).waitFor();
  await wins.getByRole("row", { name: "env/fixture-2 0 1" }).waitFor();
});

test("diagrams of both answers are drawn, and open in the panel, as do the sources", async ({ page }) => {
  await compare(
    page,
    "```mermaid\ngraph LR\n  a[Seed] --> b[Tree]\n```\n\nIt grows [1].\n\ngap=1\nsources echo",
  );
  const panel = page.getByRole("region", { name: "Panel" });
  const addresses = new Set<string | null>();
  for (const name of ["fixture-1", "fixture-2"]) {
    const answer = answers(page).getByRole("article", { name });
    await answer.frameLocator("iframe").getByText("Tree").waitFor({ timeout: 30_000 });
    await answer.getByRole("button", { name: "Open", exact: true }).click();
    await panel.frameLocator("iframe").getByText("Tree").waitFor({ timeout: 30_000 });
    // It cannot be edited before the choice, and the other answer is no version of this one.
    expect(await panel.getByRole("tab", { name: "Edit" }).count()).toBe(0);
    expect(await panel.getByText(/Version \d/).count()).toBe(0);
    await page.reload();
    await panel.frameLocator("iframe").getByText("Tree").waitFor({ timeout: 30_000 });
    addresses.add(new URL(page.url()).searchParams.get("v"));
    await answer.getByRole("button", { name: "Source 1: A" }).click();
    await panel.getByText("A is the first letter.").waitFor();
    await page.reload();
    await panel.getByText("A is the first letter.").waitFor();
    addresses.add(new URL(page.url()).searchParams.get("v"));
  }
  expect(addresses.size).toBe(2);
});

test("a blind comparison hides the models until the choice, stacked at 390 px", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390 });
  const { page } = ada;
  const region = answers(page);
  await compare(page, "Who is it? tokens=5", { isBlind: true });
  const [one, two] = ["Answer A", "Answer B"].map((name) => region.getByRole("article", { name }));
  for (const answer of [one!, two!])
    await answer.getByRole("button", { name: /^Stop/ }).waitFor({ state: "detached" });
  await two!.waitFor();
  const [above, below] = [(await one!.boundingBox())!, (await two!.boundingBox())!];
  expect(below.y).toBeGreaterThan(above.y + above.height - 1);
  expect(await region.innerText()).not.toMatch(/fixture/);
  await region.getByRole("button", { name: "Choose this answer: Answer B" }).click();
  await chat(page).answers.first().getByText("2 / 2").waitFor();
  await chat(page)
    .answers.first()
    .getByText(/fixture-[12]/)
    .first()
    .waitFor();
});

test("one answer or all of them can be stopped, and a failed one does not disturb the other", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const region = answers(page);
  await compare(page, "Talk\nendless gap=30");
  const stop = (name: string) => region.getByRole("button", { name: `Stop: ${name}` });
  await stop("fixture-1").click();
  await stop("fixture-1").waitFor({ state: "detached" });
  expect(await stop("fixture-2").count()).toBe(1);
  await chat(page).stopButton.last().click();
  await stop("fixture-2").waitFor({ state: "detached" });
  await region.getByRole("button", { name: "Choose this answer: fixture-2" }).click();
  await chat(page).answers.first().getByText("2 / 2").waitFor();
  await compare(page, "Fail for one\ndie=3 times=1");
  await region
    .getByText(/model provider/i)
    .first()
    .waitFor();
  await region
    .getByRole("button", { name: /^Choose this answer/ })
    .last()
    .click();
  await region.waitFor({ state: "detached" });
});

test("a comparison that was sent offline survives a reload, is sent once, and its stopped answer continues when chosen", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { page } = ada;
  const region = answers(page);
  await ada.context.route("**/comparisons", async (route) => await route.abort("connectionrefused"));
  await compare(page, "Are you there?\nendless gap=30");
  const question = chat(page).questions.first();
  await question.getByText("Can’t reach the server.").waitFor();
  await page.reload();
  await question.getByText("Can’t reach the server.").waitFor();
  expect(await region.count()).toBe(0);
  await ada.context.unroute("**/comparisons");
  await question.getByRole("button", { name: "Send again" }).click();
  for (const name of ["fixture-1", "fixture-2"])
    await region.getByRole("button", { name: `Stop: ${name}` }).waitFor();
  expect(await chat(page).questions.count()).toBe(1);
  await chat(page).stopButton.last().click();
  for (const name of ["fixture-1", "fixture-2"])
    await region.getByRole("button", { name: `Stop: ${name}` }).waitFor({ state: "detached" });
  await region.getByRole("button", { name: "Choose this answer: fixture-1" }).click();
  await region.waitFor({ state: "detached" });
  const answer = chat(page).answers.first();
  const before = (await answer.innerText()).length;
  await answer.getByRole("button", { name: "Continue" }).click();
  await expect.poll(async () => (await answer.innerText()).length).toBeGreaterThan(before + 40);
  await chat(page).settled();
});

test("models that may no longer answer are left out of a comparison, and the composer says so", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    prepare: async (context) =>
      await context.route("**/v1/models", async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as { models: { name: string }[] };
        const models = body.models.map((model) => ({ ...model, is_local: model.name === "fixture-1" }));
        await route.fulfill({ response, json: { ...body, models } });
      }),
  });
  const { page } = ada;
  await chat(page).ask("First tokens=2");
  await chat(page).settled();
  await page.getByRole("button", { name: /^Model: / }).click();
  await page.getByRole("menuitem", { name: "Compare models…" }).click();
  const dialog = page.getByRole("dialog", { name: "Compare models" });
  for (const name of ["fixture-1", "fixture-2"]) await dialog.getByRole("checkbox", { name }).check();
  await dialog.getByRole("button", { name: "Compare" }).click();
  await page.getByText("2 models answer side by side").waitFor();
  await page.evaluate(async () => {
    const headers = { "Parlance-Client": "web", "Content-Type": "application/json" };
    const path = `/v1${location.pathname.replace("/t/", "/threads/")}`;
    await fetch(path, { method: "PUT", headers, body: JSON.stringify({ local_only: true }) });
  });
  await page.getByText("Not compared, because only local models may answer: fixture-2").waitFor();
  await chat(page).ask("Only one tokens=2");
  await chat(page).answers.nth(1).waitFor();
  await chat(page).settled();
  expect(await answers(page).count()).toBe(0);
});

test("a picture of one of the answers opens beside the chat, after a reload too", async ({ page }) => {
  await drop(page, (await fiveFiles()).slice(0, 1));
  await uploaded(page);
  const id = await storedFileId(page);
  await page.getByRole("button", { name: "Remove lake.png" }).click();
  await compare(page, `![A lake](/v1/files/${id}/content)\n\necho`);
  const answer = answers(page).getByRole("article", { name: "fixture-2" });
  await answer.getByRole("button", { name: /Open the image/ }).click();
  await page.getByRole("button", { name: "Open beside the chat" }).click();
  const picture = page.getByRole("region", { name: "Panel" }).locator("img");
  await picture.waitFor();
  await page.reload();
  await picture.waitFor();
});
