import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { base64, drop, uploaded } from "../support/drop.ts";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";
import { visit, type Visit } from "../support/visit.ts";

const environment = startEnvironment();
const owned = startEnvironment({ ownServer: true });

/** The accessible name of the focused element; "BODY" if there is none. */
async function focused(page: Page): Promise<string> {
  return await page.evaluate(() => {
    const element = document.activeElement;
    return element === null || element === document.body
      ? "BODY"
      : (element.getAttribute("aria-label") ?? element.textContent ?? "");
  });
}

async function hasFocus(page: Page, name: string | RegExp): Promise<void> {
  await expect.poll(async () => await focused(page)).toMatch(name);
}

/** Focuses it and presses Enter. */
async function enter(control: Locator): Promise<void> {
  await control.focus();
  await control.press("Enter");
}

/** Opens the menu of the button and chooses the item with the keyboard. */
async function choose(button: Locator, item: string): Promise<void> {
  await enter(button);
  await button.page().getByRole("menuitem", { name: item, exact: true }).press("Enter");
}

const headers = { "Parlance-Client": "web" };

async function post<Answer>(person: Visit, path: string, data: object): Promise<Answer> {
  const answer = await person.context.request.post(path, { headers, data });
  expect(answer.ok(), path).toBe(true);
  return (await answer.json()) as Answer;
}

async function makeThread(person: Visit, title: string): Promise<string> {
  const data = { title, last_message_at: new Date().toISOString() };
  return (await post<{ thread_id: string }>(person, "/v1/threads", data)).thread_id;
}

test("returns to the row or the menu button after renaming or Esc", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { ask, settled, threads } = chat(ada.page);
  await ask("Tell me of rivers tokens=3");
  await settled();
  const row = threads.locator("[data-row]").first();
  await row.focus();
  await row.press("F2");
  const field = ada.page.getByRole("textbox", { name: "Chat title" });
  await field.fill("Rivers");
  await field.press("Enter");
  await hasFocus(ada.page, /^Rivers/);
  await ada.page.keyboard.press("F2");
  await field.press("Escape");
  await hasFocus(ada.page, /^Rivers/);
  await enter(ada.page.getByRole("main").getByRole("button", { name: /^Actions for/ }));
  await ada.page.getByRole("menuitem", { name: "Rename" }).press("Enter");
  await field.press("Escape");
  await hasFocus(ada.page, /^Actions for/);
  expect(await ada.page.getByRole("menu").count()).toBe(0);
});

test("returns to Edit after a cancelled edit, and switches versions with the keyboard", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { ask, settled, questions, answers } = chat(ada.page);
  await ask("Tell me of rivers tokens=3");
  await settled();
  const edit = questions.first().getByRole("button", { name: "Edit" });
  const field = ada.page.getByRole("textbox", { name: "Edit your message" });
  await enter(edit);
  await field.press("Escape");
  await hasFocus(ada.page, "Edit");
  await enter(edit);
  await ada.page.getByRole("button", { name: "Cancel" }).press("Enter");
  await hasFocus(ada.page, "Edit");

  for (const count of [2, 3]) {
    await enter(answers.first().getByRole("button", { name: "Regenerate", exact: true }));
    await answers
      .first()
      .getByRole("img", { name: `Version ${count} of ${count}` })
      .waitFor();
    await settled();
  }
  await enter(answers.first().getByRole("button", { name: "Previous version" }));
  await answers.first().getByRole("img", { name: "Version 2 of 3" }).waitFor();
  await hasFocus(ada.page, "Previous version");
  await ada.page.keyboard.press("Enter");
  await answers.first().getByRole("img", { name: "Version 1 of 3" }).waitFor();
  await hasFocus(ada.page, "Next version");
});

test("moves to the field after removing an attachment, and back after closing a toast", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { ask, settled, composer, threads } = chat(ada.page);
  await ask("Tell me of rivers tokens=3");
  await settled();
  await drop(ada.page, [
    { name: "one.txt", type: "text/plain", body: base64("one") },
    { name: "two.txt", type: "text/plain", body: base64("two") },
  ]);
  await enter(ada.page.getByRole("button", { name: "Remove one.txt" }));
  await hasFocus(ada.page, "Remove two.txt");
  await ada.page.keyboard.press("Enter");
  await hasFocus(ada.page, "Message");

  await ada.page.getByRole("button", { name: "New chat" }).first().click();
  const row = threads.locator("[data-row]").first();
  await row.focus();
  await row.press("Delete");
  const undo = ada.page.getByRole("button", { name: "Undo" });
  await undo.waitFor();
  await composer.focus();
  await enter(undo);
  await hasFocus(ada.page, "Message");
  await row.waitFor();
});

test("moves to the field after jumping to the end", async () => {
  const ada = await visit(environment.browser, environment.server.url, { height: 500 });
  const { ask, settled, answers } = chat(ada.page);
  await ask("Tell me something long tokens=600");
  await expect.poll(async () => (await answers.first().innerText()).length).toBeGreaterThan(2_500);
  await settled();
  await answers.first().getByRole("button", { name: "Copy" }).hover();
  await ada.page.mouse.wheel(0, -800);
  const latest = ada.page.getByRole("button", { name: /^Jump to latest/ });
  await enter(latest);
  await hasFocus(ada.page, "Message");
});

test("moves to the next row after deleting a file", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { composer, sendButton, settled, answers } = chat(ada.page);
  await composer.fill("What is in these? tokens=3");
  await drop(ada.page, [
    { name: "one.txt", type: "text/plain", body: base64("one") },
    { name: "two.txt", type: "text/plain", body: base64("two") },
  ]);
  await uploaded(ada.page);
  await sendButton.click();
  await answers.first().waitFor();
  await settled();
  await ada.page.getByRole("link", { name: "Files" }).click();
  const rows = ada.page.getByRole("button", { name: /^Delete (one|two)\.txt$/ });
  await rows.nth(1).waitFor();
  await enter(rows.first());
  await enter(ada.page.getByRole("dialog").getByRole("button", { name: "Delete" }));
  await rows.nth(1).waitFor({ state: "detached" });
  await hasFocus(ada.page, /^Delete (one|two)\.txt$/);
});

test("moves to the message above when a message is deleted, and is there after Undo", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { ask, settled, questions, answers } = chat(ada.page);
  for (const text of ["Willows bend tokens=3", "Poplars stand tokens=3"]) {
    await ask(text);
    await settled();
  }
  await answers.nth(1).waitFor();
  const menuOf = (message: Locator) => message.getByRole("button", { name: "More actions" });
  const aboveHasFocus = async () =>
    await answers.first().locator("button:focus").and(menuOf(answers.first())).waitFor();
  await choose(menuOf(questions.nth(1)), "Delete this message");
  await questions.nth(1).waitFor({ state: "detached" });
  await aboveHasFocus();
  await enter(ada.page.getByRole("button", { name: "Undo" }));
  await questions.nth(1).waitFor();
  await aboveHasFocus();
  await choose(menuOf(questions.first()), "Delete this message");
  await questions.nth(1).waitFor({ state: "detached" });
  await hasFocus(ada.page, "Message");
});

test("stays in the page when the selected chats of the trash or the search are gone", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  await chat(page).threads.getByText("Your chats will appear here.").waitFor();
  for (const title of ["Tin kettle", "Iron kettle", "A lamp"]) {
    const id = await makeThread(ada, title);
    if (title !== "A lamp") await ada.context.request.delete(`/v1/threads/${id}`, { headers });
  }
  const button = (name: string) => page.getByRole("main").getByRole("button", { name, exact: true });
  await page.goto("/trash");
  await enter(button("Select"));
  await page.getByRole("checkbox").first().press("Space");
  await enter(button("Restore"));
  await hasFocus(page, /^Select$/);
  await page.getByText("Restored 1 chat.").waitFor();
  await hasFocus(page, /^Select$/);
  for (const [path, action, nothing] of [
    ["/trash", "Restore", "The trash is empty."],
    ["/search?q=kettle", "Delete", "No results for “kettle”."],
    ["/trash", "Delete permanently", "The trash is empty."],
  ] as const) {
    await page.goto(path);
    await enter(button("Select"));
    await enter(button("Select all"));
    await enter(button(action));
    if (action === "Delete permanently")
      await enter(page.getByRole("dialog").getByRole("button", { name: action }));
    await page.getByText(nothing).waitFor();
    await page.locator("#main:focus").waitFor();
  }
});

test("stays in the share dialog, and moves to the next person and to a new budget", async () => {
  const olga = await visitWithOwnerAccount(owned);
  const { page } = olga;
  for (const name of ["Group one", "Group two"]) await post(olga, "/v1/groups", { name });
  await chat(page).ask("Tell me of rivers tokens=3");
  await chat(page).settled();
  await choose(page.getByRole("main").getByRole("button", { name: /^Actions for/ }), "Share…");
  const dialog = page.getByRole("dialog", { name: "Share chat" });
  for (const name of ["Group one", "Group two"]) {
    await dialog.getByRole("searchbox").fill(name);
    await enter(dialog.getByRole("button", { name: `Share with ${name}` }));
    await dialog.getByRole("button", { name: `Stop sharing with ${name}` }).waitFor();
    await hasFocus(page, /^Find people/);
  }
  await enter(dialog.getByRole("button", { name: "Stop sharing with Group one" }));
  await hasFocus(page, "Stop sharing with Group two");
  await page.keyboard.press("Enter");
  await hasFocus(page, /^Find people/);

  await enter(dialog.getByRole("button", { name: "Link" }));
  const revoke = dialog.getByRole("button", { name: /^Revoke the link/ });
  for (const at of [0, 1]) {
    await enter(dialog.getByRole("button", { name: "Create link" }));
    await revoke.nth(at).waitFor();
    // A new link takes the focus.
    await hasFocus(page, /^Copy/);
  }
  await revoke.first().focus();
  for (const [at, next] of [/^Revoke the link/, "Create link"].entries()) {
    await page.keyboard.press("Enter");
    await enter(page.getByRole("dialog").getByRole("button", { name: "Revoke", exact: true }));
    await revoke.nth(1 - at).waitFor({ state: "detached" });
    await hasFocus(page, next);
  }

  await page.goto("/admin/limits");
  await page.getByRole("searchbox").fill("Group one");
  await enter(page.getByRole("button", { name: "Set a budget for Group one" }));
  await page.getByLabel("Tokens per month").fill("1000");
  await page.keyboard.press("Enter");
  await hasFocus(page, /^Group one/);
  await page.keyboard.press("Enter");
  await enter(page.getByRole("dialog").getByRole("button", { name: /^Remove|^Inherit|^Use/ }));
  await hasFocus(page, "Set a budget for Group one");
});
