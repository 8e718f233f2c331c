import { expect } from "vitest";
import type { Page } from "playwright-core";
import { chat, eventually, showThreads } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit, type Visit, type VisitOptions } from "../support/visit.ts";

const environment = startEnvironment();

/** A person with one thread with this title. */
async function withThread(title: string, options: VisitOptions = {}): Promise<Visit> {
  const ada = await visit(environment.browser, environment.server.url, options);
  const { ask, settled, threads } = chat(ada.page);
  await ask(`${title} tokens=3`);
  await settled();
  await showThreads(ada.page);
  await threads.getByRole("listitem").first().waitFor();
  await choose(ada.page, "Rename");
  await rename(ada.page, title);
  await threads.getByRole("link", { name: title, exact: true }).waitFor();
  return ada;
}

async function choose(page: Page, action: string): Promise<void> {
  await showThreads(page);
  const row = chat(page).threads.getByRole("listitem").first();
  await row.hover();
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}

async function rename(page: Page, title: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Chat title" });
  await field.fill(title);
  await field.press("Enter");
}

/** Renames the open thread with a click on its title, then with a key press on it. */
async function renameAtTheTop(page: Page, name: string): Promise<void> {
  const title = page.getByRole("main").getByRole("heading", { level: 1 }).getByRole("button");
  await title.click();
  await rename(page, name);
  await expect.poll(async () => await title.innerText()).toBe(name);
  // The title has the focus again.
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Chat title" }).press("Escape");
  expect(await title.evaluate((button) => button === document.activeElement)).toBe(true);
}

async function titles(page: Page): Promise<string[]> {
  await showThreads(page);
  return await chat(page).threads.getByRole("listitem").getByRole("link").allInnerTexts();
}

test("gets a title automatically, and is renamed in every tab and permanently", async ({ ada }) => {
  const { ask, settled, threads } = chat(ada.page);
  await ask("Please tell me about paper and rivers");
  await settled();
  await eventually(
    async () => await titles(ada.page),
    (list) => {
      expect(list).toHaveLength(1);
      expect(list[0]).not.toBe("Untitled");
    },
  );
  await ada.page.reload();
  await threads.getByRole("listitem").first().waitFor();
  expect((await titles(ada.page))[0]).not.toBe("Untitled");

  await renameAtTheTop(ada.page, "High mountains");
  const other = await ada.tab("/");
  await expect.poll(async () => await titles(other)).toEqual(["High mountains"]);
  await choose(ada.page, "Rename");
  await rename(ada.page, "Rivers and stones");
  await eventually(
    async () => [await titles(ada.page), await titles(other)],
    (lists) => {
      expect(lists).toEqual([["Rivers and stones"], ["Rivers and stones"]]);
    },
  );
  await other.reload();
  await expect.poll(async () => await titles(other)).toEqual(["Rivers and stones"]);
});

test("is renamed, archived, restored, deleted and restored again on a phone", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390 });
  const { ask, settled } = chat(ada.page);
  await ask("Glass tokens=3");
  await settled();
  await renameAtTheTop(ada.page, "Windows");
  const other = await ada.tab("/");
  await choose(ada.page, "Archive");
  await expect.poll(async () => [await titles(ada.page), await titles(other)]).toEqual([[], []]);
  await ada.page.getByRole("link", { name: "Archive" }).click();
  const archive = ada.page.getByRole("main");
  await archive.getByText("Windows").waitFor();
  await archive.getByRole("button", { name: /^Restore/ }).click();
  await expect.poll(async () => await titles(ada.page)).toEqual(["Windows"]);

  await expect.poll(async () => await titles(other)).toEqual(["Windows"]);
  await choose(ada.page, "Delete");
  await expect.poll(async () => [await titles(ada.page), await titles(other)]).toEqual([[], []]);
  await ada.page.getByRole("button", { name: "Undo" }).last().click();
  await expect
    .poll(async () => [await titles(ada.page), await titles(other)])
    .toEqual([["Windows"], ["Windows"]]);
  await chat(ada.page).threads.getByRole("link", { name: "Windows" }).click();
  await chat(ada.page).questions.first().getByText("Glass").waitFor();
});

test("pins a thread, moves the latest one to the top, and reverts a change that the server rejected", async () => {
  const ada = await withThread("Older", { networkErrorsExpected: true });
  await ada.page.getByRole("button", { name: "New chat" }).click();
  const { ask, settled, threads } = chat(ada.page);
  await ask("Newer tokens=3");
  await settled();
  await expect.poll(async () => await titles(ada.page)).toEqual([expect.any(String), "Older"]);
  await threads.getByRole("link", { name: "Older" }).click();
  await chat(ada.page).questions.first().getByText("Older").waitFor();
  await ask("Again tokens=3");
  await settled();
  await expect.poll(async () => await titles(ada.page)).toEqual(["Older", expect.any(String)]);
  await choose(ada.page, "Pin");
  await threads.getByRole("heading", { name: "Pinned" }).waitFor();

  await ada.context.route("**/v1/threads/*", async (route) => {
    if (route.request().method() !== "PUT") return await route.continue();
    const body = {
      error: "Insufficient Storage",
      code: "storage-full",
      message: "The server’s disk is full.",
      request_id: "req_1",
    };
    return await route.fulfill({ status: 409, json: body });
  });
  await choose(ada.page, "Rename");
  await rename(ada.page, "Never stored");
  await ada.page.getByText("The server’s disk is full.").waitFor();
  await expect.poll(async () => (await titles(ada.page))[0]).toBe("Older");
});

test("retries loading more threads with a backoff", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  await ada.page.getByText("Your chats will appear here.").waitFor();
  await ada.page.evaluate(async () => {
    const headers = { "Content-Type": "application/json", "Parlance-Client": "web" };
    for (let number = 1; number <= 35; number++) {
      const body = JSON.stringify({ title: `Bed ${number}`, last_message_at: new Date().toISOString() });
      await fetch("/v1/threads", { method: "POST", headers, body });
    }
  });
  const askedAtMs: number[] = [];
  let isAway = true;
  await ada.context.route(/\/v1\/threads\?.*after=/, async (route) => {
    if (!isAway) return await route.continue();
    askedAtMs.push(Date.now());
    return await route.abort();
  });
  await ada.page.reload();
  const rows = chat(ada.page).threads.getByRole("listitem");
  await rows.nth(29).waitFor();
  await rows.nth(29).scrollIntoViewIfNeeded();
  await expect.poll(async () => askedAtMs.length).toBe(2);
  expect(askedAtMs[1]! - askedAtMs[0]!).toBeGreaterThan(1_500);
  isAway = false;
  await rows.nth(34).waitFor();
});
