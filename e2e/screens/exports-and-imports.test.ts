import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, expect } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();
let folder = "";
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "parlance-e2e-carry-"))));
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** Starts a download and returns the path and the name of its file. */
async function saved(page: Page, press: () => Promise<unknown>): Promise<{ path: string; name: string }> {
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  const path = join(folder, `${Date.now()}-${download.suggestedFilename()}`);
  await download.saveAs(path);
  return { path, name: download.suggestedFilename() };
}

async function choose(page: Page, path: string): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: /^Choose/ }).click(),
  ]);
  await chooser.setFiles(path);
}

/** Chooses a file, and imports it once the page has said what it contains. */
async function bring(page: Page, path: string): Promise<void> {
  await choose(page, path);
  await page.getByRole("button", { name: "Import", exact: true }).click();
}

test("exports everything, and another person can import it", async ({ ada }) => {
  const words = `A lighthouse at sea tokens=4`;
  await chat(ada.page).ask(words);
  await chat(ada.page).settled();
  await chat(ada.page).ask("And its keeper tokens=3");
  await chat(ada.page).settled();
  const shown = await messagesOf(ada.page);
  expect(shown).toHaveLength(4);

  await ada.page.goto(`${environment.server.url}/settings/data`);
  const zip = await saved(
    ada.page,
    async () => await ada.page.getByRole("button", { name: "Export", exact: true }).click(),
  );
  expect(zip.name).toMatch(/^parlance-export-\d{4}-\d\d-\d\d\.zip$/);
  await ada.page.getByText(/^Exported /).waitFor();

  const ben = await visit(environment.browser, environment.server.url, { path: "/settings/data" });
  await bring(ben.page, zip.path);
  await ben.page.getByText("1 chat added").waitFor();
  await ben.page.getByText("4 messages").waitFor();
  await ben.page.getByText("View imported chat").click();
  await ben.page.locator("details").getByRole("link").waitFor();
  // A second import changes nothing.
  await choose(ben.page, zip.path);
  await ben.page.getByText("1 already up to date").waitFor();

  await chat(ben.page).threads.getByRole("listitem").first().getByRole("link").click();
  await expect.poll(async () => await messagesOf(ben.page)).toEqual(shown);
});

test("says when the operator exported what a person has", async ({ page }) => {
  await page.goto(`${environment.server.url}/settings/data`);
  await page.getByRole("heading", { name: "Export everything" }).waitFor();
  const heading = page.getByRole("heading", { name: "Exported by the operator" });
  expect(await heading.count()).toBe(0);
  const passphrase = join(folder, "passphrase");
  await writeFile(passphrase, "correct horse battery");
  const file = join(folder, "all.age");
  await environment.server.runCommand("export", file, "--everyone", "--passphrase-file", passphrase);
  await page.reload();
  await heading.waitFor();
  await page
    .getByRole("listitem")
    .filter({ hasText: /\d{4}: everyone’s$/ })
    .waitFor();
});

test("says what a file contains and where files come from, and imports nothing before Import is pressed", async () => {
  for (const width of [1280, 390]) {
    const ada = await visit(environment.browser, environment.server.url, { width, path: "/settings/data" });
    await ada.page.getByText("Where to get the file").click();
    await ada.page.getByText("webui.db", { exact: false }).waitFor();
    const file = join(folder, "chat-export-1.json");
    const history = {
      currentId: "q",
      messages: { q: { id: "q", parentId: null, role: "user", content: "Hello" } },
    };
    await writeFile(file, JSON.stringify([{ id: "a", title: "Ferns", chat: { history } }]));
    await choose(ada.page, file);
    await ada.page.getByText("1 new chat", { exact: true }).waitFor();
    await ada.page.getByText("Nothing is imported yet.", { exact: false }).waitFor();
    const shots = process.env["SCREENSHOTS"];
    if (shots !== undefined)
      await ada.page.screenshot({ path: join(shots, `import-${width}.png`), fullPage: true });
    await ada.page.getByRole("button", { name: "Cancel" }).click();
    await ada.page.getByText("1 new chat", { exact: true }).waitFor({ state: "detached" });
    await choose(ada.page, file);
    // It is still new: the preview added nothing.
    await ada.page.getByText("1 new chat", { exact: true }).waitFor();
    await ada.page.getByRole("button", { name: "Import", exact: true }).click();
    await ada.page.getByText("1 chat added").waitFor();
    await ada.end();
  }
});

test("includes pictures, which are visible after the import", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390 });
  const picture = await sharp({ create: { width: 320, height: 200, channels: 3, background: "#2a7f77" } })
    .png()
    .toBuffer();
  const [chooser] = await Promise.all([
    ada.page.waitForEvent("filechooser"),
    ada.page.getByRole("button", { name: "Attach files" }).click(),
  ]);
  await chooser.setFiles({ name: "lake.png", mimeType: "image/png", buffer: picture });
  await chat(ada.page).composer.fill("What is this? tokens=2");
  await chat(ada.page).sendButton.click();
  await chat(ada.page).answers.first().waitFor();
  await chat(ada.page).settled();
  await ada.page.goto(`${environment.server.url}/settings/data`);
  const zip = await saved(
    ada.page,
    async () => await ada.page.getByRole("button", { name: "Export", exact: true }).click(),
  );
  await ada.end();

  const ben = await visit(environment.browser, environment.server.url, {
    width: 390,
    path: "/settings/data",
  });
  await bring(ben.page, zip.path);
  await ben.page.getByText("1 chat added").waitFor();
  await ben.page.getByText("1 file", { exact: true }).waitFor();
  await ben.page.getByRole("button", { name: "Show sidebar" }).click();
  await chat(ben.page).threads.getByRole("listitem").first().getByRole("link").click();
  const shown = chat(ben.page).questions.first().getByRole("img", { name: "lake.png" });
  await expect
    .poll(async () => await shown.evaluate((image) => (image as { naturalWidth?: number }).naturalWidth))
    .toBe(320);
});

test("lists the missing files with the reasons", async () => {
  const ada = await visit(environment.browser, environment.server.url, { path: "/settings/data" });
  const file = join(folder, "alone.json");
  const id = `file_0${"a".repeat(24)}`;
  const image = { type: "image", image: `/v1/files/${id}/content` };
  await writeFile(
    file,
    JSON.stringify({
      format: "parlance-thread",
      version: 1,
      thread: { id: "a" },
      files: [{ id, name: "lake.png", size_bytes: 1, sha256: "0".repeat(64) }],
      messages: [
        {
          id: "m",
          parent_id: null,
          role: "user",
          format: "aui/v0",
          content: { role: "user", content: [image] },
        },
      ],
    }),
  );
  await bring(ada.page, file);
  await ada.page.getByText("1 chat added").waitFor();
  await ada.page.getByText("1 file is missing", { exact: true }).waitFor();
  await ada.page.getByText("Why a file is missing").click();
  await ada.page.getByText("lake.png").waitFor();
  await ada.page.getByText(/This export doesn’t contain the file/).waitFor();
});

test("says that an imported thread is in the trash, with a link to it", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    width: 390,
    path: "/settings/data",
  });
  const file = join(folder, "thrown.json");
  const day = new Date(Date.now() - 86_400_000).toISOString();
  const thread = { id: "thrown", title: "A thrown lantern", deleted_at: day };
  await writeFile(file, JSON.stringify({ format: "parlance-thread", version: 1, thread, messages: [] }));
  await bring(ada.page, file);
  await ada.page.getByText("1 chat added").waitFor();
  await ada.page.getByRole("link", { name: /^1 is in the trash/ }).click();
  await ada.page.locator("main").getByText("A thrown lantern").waitFor();
});

test("exports a thread as Markdown from its menu and as JSON from the palette", async ({ ada }) => {
  await chat(ada.page).ask("A teapot tokens=3");
  await chat(ada.page).settled();
  const menu = ada.page.getByRole("main").getByRole("button", { name: /^Actions for/ });
  const markdown = await saved(ada.page, async () => {
    await menu.click();
    await ada.page.getByRole("menuitem", { name: "Export as Markdown" }).click();
  });
  expect(markdown.name).toMatch(/^\d{4}-\d\d-\d\d .+\.md$/);
  expect(await readFile(markdown.path, "utf8")).toMatch(
    /^# .+\n[^]*\n## You\n\nA teapot tokens=3\n[^]*\n## Assistant\n\n\S/,
  );
  const json = await saved(ada.page, async () => {
    await ada.page.keyboard.press("Control+k");
    await ada.page.keyboard.type("as JSON");
    await ada.page.getByRole("option", { name: /^Export .* as JSON/ }).click();
  });
  expect(JSON.parse(await readFile(json.path, "utf8"))).toMatchObject({
    format: "parlance-thread",
    version: 1,
  });
});

test("explains why a file or a thread of it cannot be imported", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    path: "/settings/data",
    networkErrorsExpected: true,
  });
  const diary = join(folder, "diary.json");
  await writeFile(diary, "Dear diary");
  await choose(ada.page, diary);
  await ada.page.getByText(/This file isn’t a supported export/).waitFor();

  const chatgpt = join(folder, "conversations.json");
  const node = (id: string, parent: string | null, role: string, text: string) => ({
    id,
    parent,
    message: {
      id,
      author: { role },
      create_time: 1_700_000_000,
      content: { content_type: "text", parts: [text] },
    },
  });
  const mapping = { a: node("a", null, "user", "Hello"), b: node("b", "a", "assistant", "Hi") };
  await writeFile(
    chatgpt,
    JSON.stringify([
      { id: "1", title: "A good one", mapping },
      {
        id: "2",
        title: "One in a circle",
        mapping: { a: node("a", "b", "user", "x"), b: node("b", "a", "user", "y") },
      },
    ]),
  );
  await bring(ada.page, chatgpt);
  await ada.page.getByText("1 chat added").waitFor();
  await ada.page.getByText("Why it wasn’t imported").click();
  await ada.page.getByText("One in a circle").waitFor();
  await ada.page.getByText(/hang in a circle/).waitFor();
});

async function messagesOf(page: Page): Promise<string[]> {
  return await page.getByRole("main").getByRole("article").allInnerTexts();
}

test("deletes everything, including drafts, after a confirmation", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390 });
  await chat(ada.page).ask("A secret garden tokens=3");
  await chat(ada.page).settled();
  const other = await ada.tab("/");
  await chat(other).composer.fill("A secret that was not sent");
  await expect
    .poll(async () => await other.evaluate(() => JSON.stringify(localStorage)))
    .toContain("A secret that was not sent");

  await ada.page.goto(`${environment.server.url}/settings/data`);
  const begin = ada.page.getByRole("button", { name: "Delete everything…" });
  await begin.click();
  const box = ada.page.getByRole("dialog", { name: "Delete everything" });
  await ada.page.keyboard.press("Enter");
  await box.waitFor({ state: "detached" });
  await begin.click();
  await box.getByRole("button", { name: "Delete everything" }).click();
  await ada.page.getByText("Deleted everything: 1 chat and its files.").waitFor();
  expect(new URL(ada.page.url()).pathname).toBe("/");
  expect(await chat(ada.page).composer.inputValue()).toBe("");
  const kept = await ada.page.evaluate(() => JSON.stringify(localStorage));
  expect(kept).not.toContain("secret");
  await ada.page.getByRole("button", { name: "Show sidebar" }).click();
  await chat(ada.page).threads.getByText("Your chats will appear here.").waitFor();
});
