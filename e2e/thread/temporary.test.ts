import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat, eventually, showThreads } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit, type Visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

/** The status of a thread for this browser. */
async function statusOf(page: Page, threadId: string): Promise<number> {
  return await page.evaluate(
    async (id) => (await fetch(`/v1/threads/${id}`, { headers: { "Parlance-Client": "web" } })).status,
    threadId,
  );
}

/** How long the server keeps the thread without another report. */
async function erasedInMs(page: Page, threadId: string): Promise<number> {
  return await page.evaluate(async (id) => {
    const response = await fetch(`/v1/threads/${id}`, { headers: { "Parlance-Client": "web" } });
    const { thread } = (await response.json()) as { thread: { temporary_until: string } };
    return Date.parse(thread.temporary_until) - Date.now();
  }, threadId);
}

const threadIdOf = ({ page }: Visit) => new URL(page.url()).pathname.split("/").at(-1)!;

/** What this tab can read of unsent work: of the device, its files, and of the tab. */
async function unsentOn(page: Page): Promise<string> {
  return await page.evaluate(async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const opening = indexedDB.open("parlance-uploads");
    opening.onupgradeneeded = () => opening.result.createObjectStore("files");
    opening.onsuccess = () => {
      const all = opening.result.transaction("files").objectStore("files").getAll();
      all.onsuccess = () => {
        opening.result.close();
        resolve(all.result);
      };
    };
    return JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), await promise]);
  });
}

/** Everything that the browser has stored of this origin, except its database of files. */
async function storedBy({ page }: Visit): Promise<string> {
  return await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
  );
}

test("a temporary chat says what it is, survives a reload, and is erased when the person leaves it", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { page } = ada;
  const { ask, settled, composer, threads, answers } = chat(page);
  const other = await ada.tab();
  await composer.fill("Half a thought");
  const toggle = page.getByRole("button", { name: "Temporary chat" });
  await toggle.click();
  await page.getByText("It won’t appear in your chats, search, exports or backups").waitFor();
  expect(await toggle.getAttribute("aria-pressed")).toBe("true");
  expect(await composer.inputValue()).toBe("Half a thought");

  await ask("A secret lantern tokens=3");
  await settled();
  await page.getByRole("heading", { name: "Temporary chat" }).waitFor();
  const first = threadIdOf(ada);
  await composer.fill("Another secret");
  await page.reload();
  await answers.first().waitFor();
  await page.getByRole("heading", { name: "Temporary chat" }).waitFor();
  await ask("Another secret lantern tokens=3");
  await settled();
  expect(await answers.count()).toBe(2);
  await ask("```markdown\n# Lantern\n```\n\necho");
  await settled();
  await answers.last().getByRole("button", { name: "Open" }).click();
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.getByRole("tab", { name: "Edit" }).click();
  await panel.getByRole("textbox", { name: "Edit Lantern" }).click();
  await page.keyboard.type("Edited secret");
  await panel.getByRole("tab", { name: "Edit (unsaved)" }).waitFor();
  expect(await storedBy(ada)).not.toContain("parlance.panels");
  await panel.getByRole("button", { name: "Close panel" }).click();
  for (const tab of [page, other]) {
    await showThreads(tab);
    expect(
      await chat(tab)
        .threads.getByRole("link")
        .filter({ hasText: /lantern|Temporary/ })
        .count(),
    ).toBe(0);
  }

  // The archive is not another chat.
  await composer.fill("Unsent secret");
  await threads.getByRole("link", { name: "Archive" }).click();
  await page.waitForURL(/\/archive$/);
  await page.goBack();
  await answers.first().waitFor();
  expect(await statusOf(page, first)).toBe(200);
  await page.getByRole("button", { name: "New chat" }).first().click();
  await expect.poll(async () => await statusOf(page, first)).toBe(404);
  expect(await storedBy(ada)).not.toMatch(/secret|parlance\.temporary/);
  expect(await page.getByRole("button", { name: "Temporary chat" }).getAttribute("aria-pressed")).toBe(
    "false",
  );
  await ask("An open lantern tokens=3");
  await settled();
  await showThreads(page);
  await expect.poll(async () => await threads.getByRole("listitem").count()).toBe(1);
});

test("a temporary chat stays one when its assistant is chosen, and erasing it in one tab spares the other", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    path: environment.server.ownerLink,
    networkErrorsExpected: true,
  });
  const { page } = ada;
  await page.waitForURL(`${environment.server.url}/`);
  await page.evaluate(`fetch("/v1/assistants", {
    method: "POST",
    headers: { "Parlance-Client": "web", "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Keeper" }),
  })`);
  await page.goto(`${environment.server.url}/?temporary=true`);
  await page.getByRole("button", { name: /^(Assistant|Model): / }).click();
  await page.getByRole("menuitemradio", { name: /Keeper/ }).click();
  await page.waitForURL(/temporary=true/);
  await page.waitForURL(/assistant=/);
  const { ask, settled } = chat(page);
  const answerIn = (tab: Page) => tab.getByRole("log").getByRole("article").nth(1);
  await ask("A guarded lantern tokens=3");
  await settled();
  await page.getByRole("heading", { name: "Temporary chat" }).waitFor();
  const id = threadIdOf(ada);

  // Reloaded on another screen, the tab goes on reporting.
  await page.goto(`${environment.server.url}/settings`);
  await expect.poll(async () => await erasedInMs(page, id)).toBeGreaterThan(40 * 60_000);
  await page.goto(`${environment.server.url}/t/${id}`);
  await answerIn(page).waitFor();

  const other = await ada.tab();
  await other.goto(`${environment.server.url}/t/${id}`);
  await answerIn(other).waitFor();
  await other.getByRole("heading", { name: "Temporary chat" }).waitFor();
  await page.getByRole("button", { name: "New chat" }).first().click();
  await page.waitForURL(`${environment.server.url}/`);
  await expect.poll(async () => await erasedInMs(page, id)).toBeLessThanOrEqual(2 * 60_000);
  expect(await statusOf(other, id)).toBe(200);
  await other.getByRole("button", { name: "New chat" }).first().click();
  await expect.poll(async () => await statusOf(other, id)).toBe(404);
});

test("a temporary chat can be kept, and one of a closed tab is erased", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    width: 390,
    // A report can arrive after the chat was kept.
    networkErrorsExpected: true,
  });
  const { page } = ada;
  const { ask, settled } = chat(page);
  // By the keyboard alone.
  const toggle = page.getByRole("button", { name: "Temporary chat" });
  await toggle.focus();
  await page.keyboard.press("Enter");
  await page.getByText("It’s erased with its files when you leave it").waitFor();
  await ask("A kept lantern tokens=3");
  await settled();
  const kept = threadIdOf(ada);
  const second = await ada.tab(`/t/${kept}`);
  await second.getByRole("button", { name: "Keep chat" }).waitFor();
  await page.getByRole("button", { name: "Keep chat" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Kept. It’s in your chats now.").waitFor();
  // Another tab learns of it, and does not erase the chat when it leaves.
  await second.getByRole("button", { name: "Keep chat" }).waitFor({ state: "detached" });
  await second.close();
  await page.getByRole("button", { name: /^Actions for “?A kept lantern/ }).waitFor();
  await page.goto(`${environment.server.url}/?temporary=true`);
  await ask("A closed lantern tokens=3");
  await settled();
  const closed = threadIdOf(ada);
  const other = await ada.tab();
  await page.close();
  // Two minutes, in case it was a reload.
  await expect.poll(async () => await erasedInMs(other, closed)).toBeLessThanOrEqual(2 * 60_000);
  expect(await statusOf(other, kept)).toBe(200);
  await showThreads(other);
  const links = chat(other).threads.getByRole("listitem").getByRole("link");
  await expect.poll(async () => await links.count()).toBe(1);
});

test("what was not sent in a temporary chat survives a reload, and is gone when its tab is closed", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { page } = ada;
  const attached = (tab: Page) => tab.getByRole("list", { name: "Attached files" }).getByRole("listitem");
  await chat(page).ask("An open lantern tokens=3");
  await chat(page).settled();
  await page.goto("/?temporary=true");
  await chat(page).composer.fill("Half a secret");
  const ids: string[] = [];
  page.on("response", async (response) => {
    const isUpload = response.request().method() === "POST" && response.url().includes("presigned-upload");
    if (isUpload) ids.push(((await response.json()) as { file_id: string }).file_id);
  });
  const attach = async (name: string) => {
    const file = { name, mimeType: "text/plain", buffer: Buffer.from(`A secret in ${name}`) };
    await page.locator("input[data-attach]").setInputFiles(file);
    await attached(page).filter({ hasText: name }).waitFor();
  };
  await attach("secret-list.txt");
  await eventually(
    async () => await unsentOn(page),
    (unsent) => {
      expect(unsent).toContain("Half a secret");
      expect(unsent).toContain(ids[0] ?? "an id");
    },
  );
  await page.reload();
  await attached(page).waitFor();
  expect(await chat(page).composer.inputValue()).toBe("Half a secret");
  expect(await attached(page).count()).toBe(1);

  await chat(page).threads.getByRole("listitem").getByRole("link").first().click();
  await chat(page).answers.first().waitFor();
  await expect.poll(async () => await unsentOn(page)).not.toContain("secret");

  await page.goto("/?temporary=true");
  expect(await chat(page).composer.inputValue()).toBe("");
  // A new chat is another one, unlike the same one without the switch.
  await chat(page).composer.fill("A fourth secret");
  await attach("secret-note.txt");
  await page.getByRole("button", { name: "New chat" }).first().click();
  await page.getByText("It won’t appear in your chats").waitFor({ state: "detached" });
  expect(await chat(page).composer.inputValue()).toBe("");
  await expect.poll(async () => await unsentOn(page)).not.toContain("secret");
  expect(await attached(page).count()).toBe(0);
  await page.getByRole("button", { name: "Temporary chat" }).click();
  await chat(page).composer.fill("Another secret");
  await attach("secret-plan.txt");
  // A message that could not be sent before the tab was closed.
  await ada.context.route("**/v1/threads/*/runs", async (route) => await route.abort());
  const third = await ada.tab("/?temporary=true");
  await chat(third).ask("A third secret");
  await third.getByText("A third secret").waitFor();
  // Nor one after it: the page has not read the thread.
  await chat(third).ask("A fifth secret");
  await third.getByText("A fifth secret").waitFor();
  await third.reload();
  await third.getByText("A third secret").waitFor();
  await third.getByText("A fifth secret").waitFor();
  const other = await ada.tab("/archive");
  await third.close();
  await page.close();
  await ada.context.unroute("**/v1/threads/*/runs");
  // Browsers release a closed tab's locks a moment later. Until then, the tab counts as open.
  await eventually(
    async () => (await other.evaluate(async () => await navigator.locks.query())).held ?? [],
    (held) => expect(held.map(({ name }) => name)).not.toContainEqual(expect.stringContaining("temporary")),
  );
  const before = ada.requests.length;
  for (const path of ["/", "/?temporary=true"]) {
    await other.goto(path);
    await chat(other).composer.waitFor();
    expect(await chat(other).composer.inputValue()).toBe("");
    expect(await attached(other).count()).toBe(0);
    // The page clears up what closed tabs left.
    await expect.poll(async () => await unsentOn(other)).not.toMatch(/secret|parlance\.temporary/);
  }
  expect(ada.requests.slice(before).filter((request) => /POST .*\/runs/.test(request))).toEqual([]);
});

test("an edit that was made offline in a temporary chat does not come back when the chat was erased meanwhile", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { page } = ada;
  const { ask, settled, questions, answers } = chat(page);
  await page.goto("/?temporary=true");
  for (const words of ["A first lantern tokens=3", "A second lantern tokens=3"]) {
    await ask(words);
    await settled();
  }
  const id = threadIdOf(ada);
  await ada.context.route("**/v1/threads/*/runs", async (route) => await route.abort());
  await questions.nth(1).hover();
  await questions.nth(1).getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Edit your message" }).fill("A secret edit tokens=3");
  await page.keyboard.press("Enter");
  await questions.filter({ hasText: "A secret edit" }).waitFor();
  expect(await unsentOn(page)).toContain("A secret edit");
  const other = await ada.tab("/archive");
  await other.evaluate(
    async (threadId) =>
      await fetch(`/v1/threads/${threadId}`, {
        method: "PUT",
        headers: { "Parlance-Client": "web", "Content-Type": "application/json" },
        body: JSON.stringify({ temporary: "erase" }),
      }),
    id,
  );
  await ada.context.unroute("**/v1/threads/*/runs");
  // The tab is shown again.
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await expect.poll(async () => await unsentOn(page)).not.toMatch(/secret|lantern|parlance\.temporary/);
  expect(await statusOf(other, id)).toBe(404);
  await page.reload();
  await page.getByText("Chat not found").waitFor();
  expect(await answers.count()).toBe(0);
});

test("deleting everything also clears what other tabs have not sent of their temporary chats", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { page } = ada;
  const other = await ada.tab();
  await other.getByRole("button", { name: "Temporary chat" }).click();
  await chat(other).composer.fill("An unsent lantern");
  await expect.poll(async () => await unsentOn(other)).toContain("unsent lantern");
  await page.goto("/settings/data");
  await page.getByRole("button", { name: "Delete everything…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete everything" });
  await dialog.getByRole("button", { name: "Delete everything" }).click();
  await expect.poll(async () => await unsentOn(other)).not.toContain("unsent lantern");
  expect(await chat(other).composer.inputValue()).toBe("");
  await ada.context.close();
});
