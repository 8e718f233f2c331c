import { expect } from "vitest";
import type { Page } from "playwright-core";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { violations } from "../support/violations.ts";
import { visit, type Visit, type VisitOptions } from "../support/visit.ts";

const environment = startEnvironment();

/** A person with this number of threads, newest first. */
async function withThreads(count: number, options: VisitOptions = {}): Promise<Visit> {
  const ada = await visit(environment.browser, environment.server.url, options);
  if (options.width !== undefined) await ada.page.getByRole("button", { name: "Show sidebar" }).click();
  await chat(ada.page).threads.getByText("Your chats will appear here.").waitFor();
  for (let number = count; number >= 1; number--)
    await make(ada, `Thread ${number}`, Date.now() - number * 1_000);
  return ada;
}

async function make(ada: Visit, title: string, atMs: number): Promise<void> {
  const answer = await ada.context.request.post("/v1/threads", {
    headers: { "Parlance-Client": "web" },
    data: { title, last_message_at: new Date(atMs).toISOString() },
  });
  expect(answer.status()).toBe(201);
}

const rows = (page: Page) => chat(page).threads.getByRole("group", { name: "Chats" }).getByRole("listitem");
const shown = async (page: Page) => (await rows(page).allInnerTexts()).map((text) => text.trim());
const bar = (page: Page) => page.getByRole("group", { name: "Selected chats" });
const chosen = async (page: Page) =>
  await page
    .getByRole("checkbox", { checked: true })
    .evaluateAll((boxes) => boxes.map((box) => box.closest("label")?.textContent?.trim()));

async function begin(page: Page, title: string): Promise<void> {
  const row = rows(page).filter({ hasText: title });
  await row.hover();
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: "Select" }).click();
  await page.getByRole("checkbox").first().waitFor();
}

const until = async (page: Page, list: string[]) =>
  await expect.poll(async () => await shown(page)).toEqual(list);

test("selects from the menu and ranges with Shift, deletes all at once, and undoes it", async () => {
  const ada = await withThreads(6);
  await until(
    ada.page,
    [1, 2, 3, 4, 5, 6].map((number) => `Thread ${number}`),
  );
  const other = await ada.tab("/");
  await begin(ada.page, "Thread 2");
  await rows(ada.page)
    .filter({ hasText: "Thread 5" })
    .click({ modifiers: ["Shift"] });
  await rows(ada.page).filter({ hasText: "Thread 3" }).click();
  expect(await chosen(ada.page)).toEqual(["Thread 2", "Thread 4", "Thread 5"]);
  await bar(ada.page).getByText("3 selected").waitFor();
  expect(await violations(ada.page)).toEqual([]);
  await bar(ada.page).getByRole("button", { name: "Delete" }).click();
  await until(ada.page, ["Thread 1", "Thread 3", "Thread 6"]);
  await until(other, ["Thread 1", "Thread 3", "Thread 6"]);
  expect(await bar(ada.page).count()).toBe(0);
  await ada.page.getByText("Deleted 3 chats.").waitFor();
  await ada.page.getByRole("button", { name: "Undo" }).click();
  await until(
    ada.page,
    [1, 2, 3, 4, 5, 6].map((number) => `Thread ${number}`),
  );
  await until(
    other,
    [1, 2, 3, 4, 5, 6].map((number) => `Thread ${number}`),
  );
});

test("selects with the keyboard alone", async () => {
  const ada = await withThreads(4);
  await until(ada.page, ["Thread 1", "Thread 2", "Thread 3", "Thread 4"]);
  const { keyboard } = ada.page;
  await rows(ada.page).first().getByRole("link").focus();
  await keyboard.press("Shift+ArrowDown");
  await keyboard.press("Shift+ArrowDown");
  await expect.poll(async () => await chosen(ada.page)).toEqual(["Thread 1", "Thread 2", "Thread 3"]);
  await keyboard.press("Space");
  expect(await chosen(ada.page)).toEqual(["Thread 1", "Thread 2"]);
  await keyboard.press("ArrowDown");
  await keyboard.press("Control+a");
  expect(await chosen(ada.page)).toHaveLength(4);
  await keyboard.press("Escape");
  await ada.page.getByRole("checkbox").first().waitFor({ state: "detached" });
  // The focus stays in the list.
  expect(await ada.page.evaluate(() => document.activeElement?.hasAttribute("data-row"))).toBe(true);
  await keyboard.press("Shift+ArrowUp");
  await keyboard.press("Delete");
  await expect.poll(async () => (await shown(ada.page)).length).toBeLessThan(4);
});

test("the focus goes to the next chat when one is archived by its menu", async () => {
  const ada = await withThreads(3);
  const { page } = ada;
  await until(page, ["Thread 1", "Thread 2", "Thread 3"]);
  await page.getByRole("button", { name: /^Actions for .*Thread 2/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Archive" }).focus();
  await page.keyboard.press("Enter");
  await until(page, ["Thread 1", "Thread 3"]);
  expect(await page.locator("[data-row]:focus").textContent()).toBe("Thread 3");
});

test("pins and archives many, restores them, and permanently deletes a part of the trash", async () => {
  const ada = await withThreads(4);
  await until(ada.page, ["Thread 1", "Thread 2", "Thread 3", "Thread 4"]);
  await begin(ada.page, "Thread 3");
  await rows(ada.page).filter({ hasText: "Thread 4" }).click();
  await bar(ada.page).getByRole("button", { name: "Pin" }).click();
  await until(ada.page, ["Thread 3", "Thread 4", "Thread 1", "Thread 2"]);
  await begin(ada.page, "Thread 3");
  await rows(ada.page).filter({ hasText: "Thread 1" }).click();
  await bar(ada.page).getByRole("button", { name: "Archive" }).click();
  await until(ada.page, ["Thread 4", "Thread 2"]);

  await ada.page.getByRole("link", { name: "Archive", exact: true }).click();
  const main = ada.page.getByRole("main");
  await main.getByRole("button", { name: "Select" }).click();
  await bar(ada.page).getByRole("button", { name: "Select all" }).click();
  await bar(ada.page).getByRole("button", { name: "Delete" }).click();
  await main.getByText("No archived chats.").waitFor();

  await ada.page.getByRole("link", { name: "Trash", exact: true }).click();
  await main.getByRole("button", { name: "Select" }).click();
  await main.getByText("Thread 1").click();
  await bar(ada.page).getByRole("button", { name: "Delete permanently" }).click();
  await ada.page.getByText("Permanently delete 1 chat? This can’t be undone.").waitFor();
  await ada.page.getByRole("dialog").getByRole("button", { name: "Delete permanently" }).click();
  await ada.page.getByText("Permanently deleted 1 chat.").waitFor();
  await expect
    .poll(async () => (await main.getByRole("listitem").allInnerTexts()).join())
    .toMatch(/^Thread 3[^T]*$/);
});

test("reports partial failures, and keeps those threads in place", async () => {
  const ada = await withThreads(3, { networkErrorsExpected: true });
  await until(ada.page, ["Thread 1", "Thread 2", "Thread 3"]);
  let refused = 0;
  await ada.page.route("**/v1/threads/*", async (route) => {
    if (route.request().method() !== "DELETE" || refused++ > 0) return await route.continue();
    return await route.fulfill({ status: 500, contentType: "text/plain", body: "no" });
  });
  await begin(ada.page, "Thread 1");
  await ada.page.keyboard.press("Control+a");
  await bar(ada.page).getByRole("button", { name: "Delete" }).click();
  await ada.page.getByText(/^1 of 3 failed\./).waitFor();
  await ada.page.getByText("Deleted 2 chats.").waitFor();
  expect(await shown(ada.page)).toHaveLength(1);
});

test("selects on a touch screen at 390 px", async () => {
  const ada = await withThreads(3, { width: 390, height: 844 });
  await until(ada.page, ["Thread 1", "Thread 2", "Thread 3"]);
  await begin(ada.page, "Thread 2");
  await rows(ada.page).filter({ hasText: "Thread 1" }).click();
  await bar(ada.page).getByRole("button", { name: "Archive" }).click();
  await until(ada.page, ["Thread 3"]);
});

test("shows every pinned thread from the start, however many others are newer", async ({ ada }) => {
  await chat(ada.page).threads.getByText("Your chats will appear here.").waitFor();
  await make(ada, "Long ago", Date.now() - 400 * 24 * 3_600_000);
  await until(ada.page, ["Long ago"]);
  const row = rows(ada.page).first();
  await row.hover();
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await ada.page.getByRole("menuitem", { name: "Pin" }).click();
  for (let number = 1; number <= 65; number++)
    await make(ada, `Newer ${number}`, Date.now() - number * 1_000);
  await ada.page.reload();
  await eventually(
    async () => await shown(ada.page),
    (titles) => {
      expect(titles[0]).toBe("Long ago");
      expect(titles.length).toBeGreaterThan(20);
      expect(titles.filter((title) => title === "Long ago")).toHaveLength(1);
    },
  );
});

test("selects the threads of search results, on a phone", async () => {
  const ada = await withThreads(0, { width: 390 });
  for (const [number, title] of ["A heron", "The heron again", "A kestrel", "Herons"].entries())
    await make(ada, title, Date.now() - number * 1_000);
  await ada.page.goto(`${environment.server.url}/search?q=heron`);
  const found = ada.page.locator("main").getByRole("listitem");
  const until = async (titles: string[]) =>
    await expect
      .poll(async () => (await found.allInnerTexts()).map((text) => text.split("\n")[0]!.trim()))
      .toEqual(titles);
  await until(["Herons", "The heron again", "A heron"]);
  await ada.page.getByRole("button", { name: "Select" }).click();
  await ada.page.getByRole("checkbox").first().focus();
  await ada.page.keyboard.press("Space");
  await ada.page.keyboard.press("Shift+ArrowDown");
  expect(await bar(ada.page).getByRole("status").innerText()).toBe("2 selected");
  expect(await violations(ada.page)).toEqual([]);
  await bar(ada.page).getByRole("button", { name: "Delete" }).click();
  await ada.page.getByText("Deleted 2 chats.").waitFor();
  await until(["A heron"]);
  await ada.page.getByRole("button", { name: "Undo" }).click();
  await until(["Herons", "The heron again", "A heron"]);

  await ada.page.getByRole("button", { name: "Select" }).click();
  await bar(ada.page).getByRole("button", { name: "Select all" }).click();
  await bar(ada.page).getByRole("button", { name: "Archive" }).click();
  await ada.page.getByText("Archived 3 chats.").waitFor();
  await expect.poll(async () => await found.getByText("archived", { exact: true }).count()).toBe(3);
  await ada.page.getByRole("button", { name: "Select" }).click();
  await bar(ada.page).getByRole("button", { name: "Select all" }).click();
  await bar(ada.page).getByRole("button", { name: "Restore" }).click();
  await expect.poll(async () => await found.getByText("archived", { exact: true }).count()).toBe(0);
});
