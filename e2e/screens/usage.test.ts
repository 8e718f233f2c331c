import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

test("shows what one's answers used, as plots, tables and CSV, and everyone's to the owner", async () => {
  const { page, end } = await visit(environment.browser, environment.server.url, {
    path: "/settings/usage",
  });
  await page.getByText("No requests to models in this period").waitFor();
  expect(await page.getByRole("link", { name: "Usage of everyone" }).count()).toBe(0);
  await page.goto("/");
  await chat(page).ask("Count me tokens=7");
  await chat(page).answers.first().waitFor();
  await chat(page).settled();
  await Promise.all([
    page.waitForResponse(/\/feedback$/),
    page.getByRole("button", { name: "Good answer" }).first().click(),
  ]);
  await page.goto("/settings/usage");
  const models = page.getByRole("table", { name: "By model" });
  await models.getByRole("rowheader", { name: "fixture-1" }).waitFor();
  expect(await models.getByRole("cell").last().innerText()).toMatch(/^[1-9][\d.]* m?s$/);
  await page
    .getByRole("table", { name: "By assistant" })
    .getByRole("rowheader", { name: "Parlance" })
    .waitFor();
  await page.locator("canvas").first().waitFor();
  const plot = page.getByRole("figure", { name: "Tokens by day" });
  await plot.getByText("Show as a table").click();
  expect(await plot.getByRole("table").getByRole("row").count()).toBe(2);
  const feedback = page.getByRole("figure", { name: "Feedback by day" });
  await feedback.getByText("Show as a table").click();
  expect(await feedback.getByRole("row").last().getByRole("cell").allTextContents()).toEqual(["1", "0"]);
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download CSV" }).click();
  const csv = await readFile(await (await downloading).path(), "utf8");
  expect(csv).toMatch(/^day,model,requests,.*\r\n\d{4}-\d\d-\d\d,env\/fixture-1,\d/);
  await end();

  const owner = await visit(environment.browser, environment.server.url, {
    path: environment.server.ownerLink.slice(environment.server.url.length),
  });
  await owner.page.waitForURL((url) => !url.pathname.includes("owner"));
  await owner.page.goto("/settings/usage");
  await owner.page.getByText("No requests to models in this period").waitFor();
  await owner.page.getByRole("link", { name: "Usage of everyone" }).click();
  await owner.page.waitForURL("**/admin/usage");
  await owner.page.getByRole("rowheader", { name: "fixture-1" }).waitFor();
});

test("says of an answer that was stopped that its tokens are an estimate", async () => {
  const { page } = await visit(environment.browser, environment.server.url);
  const { ask, answers, stopButton } = chat(page);
  await ask("Halt me tokens=81 stall=80");
  await answers.first().getByText(/\w/).first().waitFor();
  await stopButton.click();
  await answers.first().getByText("You stopped this answer.").waitFor();
  await page.getByRole("button", { name: "More actions" }).last().click();
  await page.getByRole("menuitem", { name: "Show what was sent" }).click();
  const receipt = page.getByRole("dialog", { name: "Receipt" });
  await receipt.getByText("The model didn’t report the tokens of this request.").waitFor();
  const figure = (name: string) =>
    receipt.locator("div", { has: page.getByText(name, { exact: true }) }).last();
  for (const name of ["Input tokens", "Output tokens"])
    expect(await figure(name).getByRole("definition").innerText()).toMatch(/^about [1-9][\d,]*$/);
  await page.goto("/settings/usage");
  await page.getByText("didn’t report the tokens of 1 request").waitFor();
  const row = page.getByRole("table", { name: "By model" }).getByRole("row", { name: "fixture-1" });
  expect(await row.getByRole("cell").nth(2).innerText()).toMatch(/^about \d/);
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download CSV" }).click();
  const [head, line] = (await readFile(await (await downloading).path(), "utf8")).split("\r\n");
  const column = head!.split(",").indexOf("estimated_requests");
  expect(line!.split(",")[column]).toBe("1");
});
