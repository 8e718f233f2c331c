import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { newId } from "#contract/ids.ts";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit, type Visit } from "../support/visit.ts";

const environment = startEnvironment();

async function withThreads(titles: string[]): Promise<Visit> {
  const ada = await visit(environment.browser, environment.server.url);
  await chat(ada.page).threads.getByText("Your chats will appear here.").waitFor();
  for (const [index, title] of titles.entries()) {
    const answer = await ada.context.request.post("/v1/threads", {
      headers: { "Parlance-Client": "web" },
      data: { title, last_message_at: new Date(Date.now() - index * 1_000).toISOString() },
    });
    expect(answer.status()).toBe(201);
  }
  return ada;
}

const list = (page: Page) => chat(page).threads.getByRole("group", { name: "Chats" });
const row = (page: Page, title: string) => list(page).getByRole("listitem").filter({ hasText: title });
const folder = (page: Page, name: string) => list(page).getByRole("button", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog", { name: "Folder and tags" });
const until = async (page: Page, titles: string[]) =>
  await eventually(
    async () => (await list(page).getByRole("listitem").allInnerTexts()).map((text) => text.trim()),
    (shown) => expect(shown).toEqual(titles),
  );

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
  const inDialog = await new AxeBuilder({ page }).analyze();
  expect(inDialog.violations.map(({ id }) => id)).toEqual([]);
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await folder(page, "Trips").waitFor();
  await until(page, ["Tax", "Oslo"]);
  await until(other, ["Tax", "Oslo"]);

  await row(page, "Oslo").getByRole("link").dragTo(folder(page, "Trips"));
  await page.getByText("Moved to “Trips”.").waitFor();
  await until(page, ["Tax"]);
  await folder(page, "Trips").click();
  await until(page, ["Rome", "Oslo", "Tax"]);
  const inList = await new AxeBuilder({ page }).analyze();
  expect(inList.violations.map(({ id }) => id)).toEqual([]);
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
  await ada.end();
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
  await dialog(page).getByRole("combobox", { name: "Add a tag" }).fill("trips");
  await page.keyboard.press("Enter");
  await dialog(page).getByRole("checkbox", { name: "trips", checked: true }).waitFor();
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await eventually(
    async () => {
      const answer = await ada.context.request.get("/v1/threads", { headers: { "Parlance-Client": "web" } });
      const { threads } = (await answer.json()) as { threads: { folder_id: unknown; tag_ids: unknown[] }[] };
      return threads.map(({ folder_id: id, tag_ids: tags }) => [id, tags.length]);
    },
    (found) =>
      expect(found).toEqual([
        [null, 1],
        [null, 1],
      ]),
  );
  await until(page, ["Rome", "Oslo"]);
  await ada.end();
});

test("finds chats by the folders and tags that the search screen offers", async () => {
  const ada = await withThreads(["Rome", "Oslo"]);
  const { page } = ada;
  const headers = { "Parlance-Client": "web" };
  const request = ada.context.request;
  const tagId = newId("label");
  const put = await request.put(`/v1/labels/${tagId}`, {
    headers,
    data: { kind: "tag", name: "Summer trips" },
  });
  expect(put.ok()).toBe(true);
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
      expect(hits).not.toContain("Oslo");
    },
  );
  await ada.end();
});
