import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { newId } from "#contract/ids.ts";
import { userMessage } from "#fixtures/people.ts";
import { keyHeaders, visitor } from "#tests/support/clients/visitor.ts";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";

const environment = startEnvironment({ ownServer: true });

const isScrolledSideways = async (page: Page) =>
  await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

test("an administrator creates an app on a phone and follows it from its usage to a trace", async () => {
  const { server } = environment;
  const { page } = await visitWithOwnerAccount(environment);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/admin/apps");
  await page.getByRole("textbox", { name: "New app" }).fill("Shop");
  await page.getByRole("button", { name: "Create app" }).click();
  await page.getByRole("heading", { name: "Shop" }).waitFor();

  await page.getByRole("textbox", { name: "Name" }).fill("backend");
  await page.getByRole("button", { name: "Create key" }).click();
  const secret = page.getByRole("dialog").getByRole("textbox", { name: "Your new key" });
  const key = await secret.inputValue();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByText("Never used").waitFor();
  expect(await page.content()).not.toContain(key);

  const ada = visitor(server.url, "ada", keyHeaders(key, { userId: "ada", workspaceId: "ada" }));
  const thread_id = newId("thread");
  const { run_id, reply_id } = await ada.call("runs.start", {
    params: { thread_id },
    body: { message: { parent_id: null, content: userMessage("Is the kettle in stock? tokens=4") } },
  });
  await (await ada.events(run_id)).until(({ data }) => data.type === "run-end");
  await ada.call("messages.feedback", {
    params: { thread_id, message_id: reply_id },
    body: { type: "negative", reason: "too-long", comment: "A yes is enough." },
  });
  await ada.call("runs.report", {
    body: {
      thread_id,
      status: "error",
      error_code: "tool-timeout",
      steps: [{ input_tokens: 7, output_tokens: 2 }],
      tool_calls: [{ tool_name: "stock", tool_call_id: "call_1", tool_args: '{"item":"kettle"}' }],
    },
  });

  const views = page.getByRole("navigation", { name: "Pages of this app" });
  await views.getByRole("link", { name: "Usage" }).click();
  await page.getByText("Failed runs").first().waitFor();
  await page.getByText("Show as a table").click();
  await page.getByRole("table", { name: "Usage by day" }).getByRole("row").nth(1).waitFor();
  expect(await isScrolledSideways(page)).toBe(false);

  await views.getByRole("link", { name: "Users" }).click();
  await page.getByRole("searchbox", { name: "Find users by id" }).fill("ada");
  await page.getByRole("link", { name: "1 thread" }).click();
  await page.getByText("Filtered by ada").waitFor();
  await page.getByRole("main").getByRole("listitem").getByText("ada", { exact: true }).first().click();
  await page.getByText("Is the kettle in stock?").waitFor();
  expect(await isScrolledSideways(page)).toBe(false);
  await page.getByRole("link", { name: "Runs of this thread" }).click();
  await page.getByRole("combobox", { name: "Status" }).selectOption("Failed");
  await page.getByText("tool-timeout").click();
  await page.getByRole("heading", { name: "Trace" }).waitFor();
  await page.getByText("stock").first().waitFor();
  await page.getByRole("main").getByText("As JSON").last().click();
  await page.getByText("kettle").first().waitFor();

  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await views.getByRole("link", { name: "Scores" }).click();
  await page.getByText("A yes is enough.").waitFor();
  await page.getByText("Too long").waitFor();

  await views.getByRole("link", { name: "Access" }).click();
  const origin = page.getByRole("textbox", { name: "Origin" });
  await origin.fill("https://shop.example.com/cart");
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("Enter a scheme and a host").waitFor();
  await origin.fill("https://shop.example.com");
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("button", { name: "Remove https://shop.example.com" }).waitFor();
  await page.getByRole("button", { name: "Add provider" }).click();
  await page.getByRole("textbox", { name: "Issuer" }).fill("https://login.example.com/");
  await page.getByRole("textbox", { name: "URL of its public keys" }).fill("https://localhost:1/jwks");
  await page.getByRole("button", { name: "Add provider" }).click();
  await page.getByText("its keys can’t be fetched now").waitFor();
  await page.getByRole("button", { name: "Remove https://login.example.com/" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page
    .getByRole("button", { name: "Remove https://login.example.com/" })
    .waitFor({ state: "detached" });

  await views.getByRole("link", { name: "Retention" }).click();
  const threadDays = page.getByRole("textbox", { name: "Delete threads after" });
  await threadDays.fill("0");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("3,650").last().waitFor();
  await threadDays.fill("1");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").getByText("1 thread, 2 messages").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete from tomorrow" }).click();
  await page.getByText("Threads are deleted after 1 day without activity.").waitFor();
  expect(await isScrolledSideways(page)).toBe(false);
  await page.getByRole("button", { name: "Cancel this change" }).click();
  await page.getByText("Threads are deleted after 1 day").waitFor({ state: "detached" });
  await expect.poll(async () => await threadDays.inputValue()).toBe("");

  await views.getByRole("link", { name: "Access" }).click();
  await page.getByRole("button", { name: "Revoke backend" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText(/^Revoked /).waitFor();
  expect((await ada.ask("threads.list")).status).toBe(403);
  await page.goto("/admin/audit");
  await page.getByText("Revoked an app’s key").last().waitFor();
});
