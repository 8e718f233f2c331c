import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { newId } from "#contract/ids.ts";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { violations } from "../support/violations.ts";
import { visit, type Visit, type VisitOptions } from "../support/visit.ts";

const environment = startEnvironment();
const headers = { "Parlance-Client": "web" };

async function withThreads(titles: string[], options: VisitOptions = {}): Promise<Visit> {
  const ada = await visit(environment.browser, environment.server.url, options);
  await chat(ada.page).threads.getByText("Your chats will appear here.").waitFor();
  for (const [index, title] of titles.entries()) {
    const answer = await ada.context.request.post("/v1/threads", {
      headers,
      data: { title, last_message_at: new Date(Date.now() - index * 1_000).toISOString() },
    });
    expect(answer.status()).toBe(201);
  }
  return ada;
}

async function putLabel(ada: Visit, kind: "folder" | "tag", name: string): Promise<string> {
  const id = newId("label");
  const put = await ada.context.request.put(`/v1/labels/${id}`, { headers, data: { kind, name } });
  expect(put.ok()).toBe(true);
  return id;
}

const list = (page: Page) => chat(page).threads.getByRole("group", { name: "Chats" });
const row = (page: Page, title: string) => list(page).getByRole("listitem").filter({ hasText: title });
const folder = (page: Page, name: string) => list(page).getByRole("button", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog", { name: "Folder and tags" });
const until = async (page: Page, titles: string[]) =>
  await expect
    .poll(async () => (await list(page).getByRole("listitem").allInnerTexts()).map((text) => text.trim()))
    .toEqual(titles);

test("sorts chats by the menu and by dragging, in every tab, and keeps them when the folder is deleted", async () => {
  const ada = await withThreads(["Rome", "Tax", "Oslo"]);
  const { page } = ada;
  const other = await ada.tab("/");
  await row(page, "Rome").hover();
  await row(page, "Rome")
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Folder and tags…" }).click();
  await dialog(page).getByRole("combobox", { name: "Folder", exact: true }).selectOption("New folder…");
  await page.keyboard.press("Tab");
  await dialog(page).getByRole("textbox", { name: "Folder name" }).fill("Trips");
  await dialog(page).getByRole("combobox", { name: "Add a tag" }).fill("summer");
  await page.keyboard.press("Enter");
  await dialog(page).getByRole("checkbox", { name: "summer", checked: true }).waitFor();
  expect(await violations(page)).toEqual([]);
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await folder(page, "Trips").waitFor();
  await until(page, ["Tax", "Oslo"]);
  await until(other, ["Tax", "Oslo"]);

  await row(page, "Oslo").getByRole("link").dragTo(folder(page, "Trips"));
  await page.getByText("Moved to “Trips”.").waitFor();
  await until(page, ["Tax"]);
  await folder(page, "Trips").click();
  await until(page, ["Rome", "Oslo", "Tax"]);
  expect(await violations(page)).toEqual([]);
  await page.reload();
  await until(page, ["Rome", "Oslo", "Tax"]);

  const actions = () => list(page).getByRole("button", { name: /^Actions for the folder/ });
  await folder(page, "Trips").hover();
  await actions().click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.keyboard.type("Travel");
  await page.keyboard.press("Enter");
  await folder(page, "Travel").waitFor();
  await folder(other, "Travel").waitFor();
  await actions().click();
  await page.getByRole("menuitem", { name: "Delete folder" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete folder" }).click();
  await until(page, ["Rome", "Tax", "Oslo"]);
  await until(other, ["Rome", "Tax", "Oslo"]);
  await expect
    .poll(async () => await list(page).evaluate((element) => element.contains(document.activeElement)))
    .toBe(true);
});

test("begins a chat in a folder", async () => {
  const ada = await withThreads(["Rome"]);
  const { page } = ada;
  await putLabel(ada, "folder", "Trips");
  await folder(page, "Trips").hover();
  await list(page)
    .getByRole("button", { name: /^Actions for the folder/ })
    .click();
  await page.getByRole("menuitem", { name: "New chat here" }).click();
  await page.getByText("New chat in “Trips”").waitFor();
  await page.keyboard.type("Where to go in Oslo?");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/t/*");
  // The title that the model writes repeats the question.
  await expect
    .poll(async () => await list(page).getByRole("listitem").allInnerTexts())
    .toEqual([expect.stringContaining("Where to go in Oslo?"), "Rome"]);
});

test("sorts several selected chats at once and leaves what nobody touches", async () => {
  const ada = await withThreads(["Rome", "Oslo"]);
  const { page } = ada;
  await row(page, "Rome").hover();
  await row(page, "Rome")
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Select" }).click();
  await row(page, "Oslo").click();
  await page.getByRole("button", { name: "Folder and tags…" }).click();
  await dialog(page).getByText("2 chats").waitFor();
  // Save also adds the tag that is still in the field.
  await dialog(page).getByRole("combobox", { name: "Add a tag" }).fill("trips");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect
    .poll(async () => {
      const answer = await ada.context.request.get("/v1/threads", { headers });
      const { threads } = (await answer.json()) as { threads: { folder_id: unknown; tag_ids: unknown[] }[] };
      return threads.map(({ folder_id: id, tag_ids: tags }) => [id, tags.length]);
    })
    .toEqual([
      [null, 1],
      [null, 1],
    ]);
  await until(page, ["Rome", "Oslo"]);
});

test("moves all selected chats with the one that is dragged into a folder, and only that one if it is not selected", async () => {
  const ada = await withThreads(["Rome", "Tax", "Oslo", "Kyiv"]);
  const { page } = ada;
  await putLabel(ada, "folder", "Trips");
  await folder(page, "Trips").click();
  const select = async (title: string) => {
    await row(page, title).hover();
    await row(page, title)
      .getByRole("button", { name: /^Actions for/ })
      .click();
    await page.getByRole("menuitem", { name: "Select" }).click();
    await page.getByRole("checkbox", { name: title, checked: true }).waitFor();
  };
  await select("Rome");
  await row(page, "Oslo").click();
  await row(page, "Oslo").dragTo(folder(page, "Trips"));
  await page.getByText("Moved to “Trips”.").waitFor();
  await until(page, ["Rome", "Oslo", "Tax", "Kyiv"]);
  expect(await list(page).getByRole("checkbox").count()).toBe(0);

  await select("Tax");
  await row(page, "Kyiv").dragTo(folder(page, "Trips"));
  await until(page, ["Rome", "Oslo", "Kyiv", "Tax"]);
});

test("keeps the selected chats while the name of a folder is edited", async () => {
  const ada = await withThreads(["Rome", "Oslo"]);
  const { page } = ada;
  await putLabel(ada, "folder", "Trips");
  await row(page, "Rome").hover();
  await row(page, "Rome")
    .getByRole("button", { name: /^Actions for/ })
    .click();
  await page.getByRole("menuitem", { name: "Select" }).click();
  await page.getByRole("checkbox", { name: "Rome", checked: true }).waitFor();
  await folder(page, "Trips").hover();
  await list(page)
    .getByRole("button", { name: /^Actions for the folder/ })
    .click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  const field = list(page).getByRole("textbox", { name: "Folder name" });
  await field.press("Delete");
  await field.fill("Travel");
  await field.press("Home");
  await field.press("Delete");
  await field.press("Enter");
  await folder(page, "ravel").waitFor();
  await page.getByRole("checkbox", { name: "Rome", checked: true }).waitFor();
  await page.getByRole("checkbox", { name: "Oslo", checked: false }).waitFor();
});

test("renames and deletes tags, creates new ones on Save only, and leaves a folder that nobody touched", async () => {
  const ada = await withThreads(["Rome"]);
  const { page } = ada;
  const folderId = await putLabel(ada, "folder", "Trips");
  await putLabel(ada, "tag", "summer");
  await putLabel(ada, "tag", "winter");
  const open = async () => {
    await row(page, "Rome").hover();
    await row(page, "Rome")
      .getByRole("button", { name: /^Actions for/ })
      .click();
    await page.getByRole("menuitem", { name: "Folder and tags…" }).click();
  };
  const tag = (name: string) => dialog(page).getByRole("checkbox", { name, exact: true });
  await open();
  await dialog(page).getByRole("button", { name: "Rename the tag “summer”" }).click();
  await page.keyboard.type("sun");
  await page.keyboard.press("Enter");
  await tag("sun").waitFor();
  await dialog(page).getByRole("button", { name: "Delete the tag “winter”" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete tag", exact: true }).click();
  await tag("winter").waitFor({ state: "detached" });
  await dialog(page).getByRole("combobox", { name: "Add a tag" }).fill("snow");
  await page.keyboard.press("Enter");
  await tag("snow").waitFor();
  const names = async () => {
    const answer = await ada.context.request.get("/v1/labels", { headers });
    return ((await answer.json()) as { labels: { name: string }[] }).labels.map(({ name }) => name);
  };
  expect(await names()).toEqual(["sun", "Trips"]);
  const threads = async () => {
    const answer = await ada.context.request.get("/v1/threads", { headers });
    return (
      (await answer.json()) as { threads: { id: string; folder_id: string | null; tag_ids: string[] }[] }
    ).threads;
  };
  const [rome] = await threads();
  await ada.context.request.put(`/v1/threads/${rome?.id}`, { headers, data: { folder_id: folderId } });
  await until(page, []);
  expect(await chat(page).threads.getByText("Your chats will appear here.").count()).toBe(0);
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await eventually(
    async () => [await names(), await threads()] as const,
    ([labels, [sorted]]) => {
      expect(labels).toEqual(["snow", "sun", "Trips"]);
      expect([sorted?.folder_id, sorted?.tag_ids.length]).toEqual([folderId, 1]);
    },
  );
  await folder(page, "Trips").focus();
  await page.keyboard.press("Enter");
  await until(page, ["Rome"]);
  await page.keyboard.press("ArrowDown");
  expect(
    await row(page, "Rome")
      .getByRole("link")
      .evaluate((link) => link === document.activeElement),
  ).toBe(true);
});

test("lists all chats when the folders cannot be loaded", async () => {
  const ada = await withThreads(["Rome", "Oslo"], {
    networkErrorsExpected: true,
    prepare: async (context) =>
      await context.route(/\/assets\/folder-list[^/]*\.js/, (route) => route.abort()),
  });
  const folderId = await putLabel(ada, "folder", "Trips");
  const listed = await ada.context.request.get("/v1/threads", { headers });
  const { threads } = (await listed.json()) as { threads: { id: string }[] };
  await ada.context.request.put(`/v1/threads/${threads[0]?.id}`, { headers, data: { folder_id: folderId } });
  // As on a device that has shown folders before.
  await ada.page.evaluate(() => localStorage.setItem("parlance.hasFolders", "true"));
  await ada.page.reload();
  await until(ada.page, ["Rome", "Oslo"]);
});

test("finds chats by the folders and tags that the search screen offers", async () => {
  const ada = await withThreads(["Rome", "Oslo"]);
  const { page } = ada;
  const request = ada.context.request;
  const tagId = await putLabel(ada, "tag", "Summer trips");
  const listed = await request.get("/v1/threads", { headers });
  const { threads } = (await listed.json()) as { threads: { id: string; title: string }[] };
  const rome = threads.find(({ title }) => title === "Rome");
  const sorted = await request.put(`/v1/threads/${rome?.id}`, { headers, data: { tag_ids: [tagId] } });
  expect(sorted.ok()).toBe(true);
  await page.goto("/search");
  const field = page.getByRole("searchbox");
  const offered = page.getByRole("group", { name: "Folders and tags" }).getByRole("button");
  await offered.waitFor();
  await field.fill("-tag:sum");
  await offered.click();
  await eventually(
    async () => [await field.inputValue(), await page.locator("[data-hit]").allInnerTexts()] as const,
    ([typed, hits]) => {
      expect(typed).toBe('-tag:"Summer trips" ');
      expect(hits.join(" ")).toContain("Oslo");
      expect(hits.join(" ")).not.toContain("Rome");
    },
  );
  await field.fill('tag:"summer trips"');
  await eventually(
    async () => (await page.locator("[data-hit]").allInnerTexts()).join(" "),
    (hits) => {
      expect(hits).toContain("Rome");
      expect(hits).toContain("Summer trips");
      expect(hits).not.toContain("Oslo");
    },
  );
});

test("offers tags and folders in the palette, and shows a folder at once that another device made", async () => {
  const ada = await withThreads(["Rome", "Oslo"]);
  const { page } = ada;
  // Before the page has loaded its folders.
  const folderId = await putLabel(ada, "folder", "&");
  await folder(page, "&").waitFor();
  expect(await page.locator("html[data-all-loaded]").count()).toBe(0);
  await putLabel(ada, "tag", "Summer trips");
  const listed = await ada.context.request.get("/v1/threads", { headers });
  const { threads } = (await listed.json()) as { threads: { id: string; title: string }[] };
  const rome = threads.find(({ title }) => title === "Rome");
  const sorted = await ada.context.request.put(`/v1/threads/${rome?.id}`, {
    headers,
    data: { folder_id: folderId },
  });
  expect(sorted.ok()).toBe(true);
  await page.keyboard.press("ControlOrMeta+k");
  const field = page.getByRole("combobox", { name: "Search chats, messages, files and actions" });
  const offered = page.getByRole("group", { name: "Folders and tags" }).getByRole("option");
  await field.fill("in:");
  await offered.waitFor();
  expect(await offered.allInnerTexts()).toEqual(['in:"&"']);
  expect(await violations(page, "dialog")).toEqual([]);
  await page.keyboard.press("Enter");
  expect(await field.inputValue()).toBe('in:"&" ');
  await eventually(
    async () => await page.getByRole("option").allInnerTexts(),
    (options) => {
      expect(options[0]).toBe("Rome");
      expect(options.join()).not.toContain("Oslo");
    },
  );
  await field.fill("Rome -tag:su");
  await offered.waitFor();
  await offered.click();
  expect(await field.inputValue()).toBe('Rome -tag:"Summer trips" ');
  await page.keyboard.press("Escape");
});

test("the focus goes with a chat that is moved to a folder, or to the closed folder", async () => {
  const ada = await withThreads(["Rome", "Oslo"]);
  const { page } = ada;
  await putLabel(ada, "folder", "Trips");
  await folder(page, "Trips").waitFor();
  const move = async (title: string, to: string) => {
    await row(page, title)
      .getByRole("button", { name: /^Actions for/ })
      .press("Enter");
    await page.getByRole("menuitem", { name: "Folder and tags…" }).press("Enter");
    await dialog(page).getByRole("combobox", { name: "Folder", exact: true }).selectOption(to);
    await dialog(page).getByRole("button", { name: "Save" }).press("Enter");
  };
  await move("Rome", "Trips");
  await folder(page, "Trips").and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Enter");
  await until(page, ["Rome", "Oslo"]);
  await move("Oslo", "Trips");
  await row(page, "Oslo").locator("a:focus").waitFor();
  await move("Rome", "No folder");
  await row(page, "Rome").locator("a:focus").waitFor();
});
