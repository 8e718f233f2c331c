import { expect } from "vitest";
import type { Page } from "playwright-core";
import { document as pdfOf, line } from "#fixtures/pdf/write.ts";
import { chat, eventually } from "../support/chat.ts";
import { drop, uploaded } from "../support/drop.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const field = (page: Page) => page.getByRole("searchbox", { name: "Search for" });
const palette = (page: Page) =>
  page.getByRole("combobox", { name: "Search chats, messages, files and actions" });
const hits = (page: Page) => page.locator("main").getByRole("listitem").getByRole("link");

const phone = { width: 390, height: 844 };

test("finds a message of a hidden branch and goes to it", async ({ ada }) => {
  const { ask, settled, questions, log } = chat(ada.page);
  await ask("The osprey dives tokens=3");
  await settled();
  const thread = ada.page.url();
  // Another version of the question hides the first.
  await questions.first().hover();
  await questions.first().getByRole("button", { name: "Edit" }).click();
  const edited = ada.page.getByRole("textbox", { name: "Edit your message" });
  await edited.fill("The kestrel hovers tokens=3");
  await edited.press("Enter");
  await log.getByText("The kestrel hovers").waitFor();
  await settled();
  expect(await log.getByText("The osprey dives").count()).toBe(0);

  await ada.page.goto(`${environment.server.url}/search`);
  await field(ada.page).fill("ospr");
  await hits(ada.page).filter({ hasText: "You:" }).waitFor();
  // The address can be bookmarked and shared.
  await expect.poll(async () => ada.page.url()).toMatch(/\/search\?q=ospr$/);
  expect(await ada.page.locator("mark").first().innerText()).toBe("osprey");
  await hits(ada.page).filter({ hasText: "You:" }).click();
  await log.getByText("The osprey dives").waitFor();
  expect(ada.page.url()).toMatch(new RegExp(`^${thread}\\?m=msg_0`));
  await ada.page.locator("[data-marked]").waitFor();
  await expect
    .poll(async () => await ada.page.evaluate(() => document.activeElement?.textContent ?? ""))
    .toContain("The osprey dives");
});

test("finds a word in an attached PDF with its page, opens it from a hit, the palette and a source, and returns to its message", async () => {
  const ada = await visit(environment.browser, environment.server.url, phone);
  const { composer, sendButton, settled, log } = chat(ada.page);
  const lease = pdfOf([
    { content: line("The deposit is returned by the plover") },
    { content: line("No bitterns") },
  ]);
  await drop(ada.page, [{ name: "Deposit.pdf", type: "application/pdf", body: lease.toString("base64") }]);
  await composer.fill("The contract tokens=3");
  await uploaded(ada.page);
  await sendButton.click();
  await settled();
  const look = ada.page.getByRole("dialog", { name: "Deposit.pdf" });

  const thread = ada.page.url();
  const search = async (words: string) =>
    await expect
      .poll(async () => {
        await ada.page.goto(`/search?q=${encodeURIComponent(words)}`);
        await ada.page.getByText("No results for").or(hits(ada.page)).first().waitFor();
        return await hits(ada.page).count();
      })
      .toBe(1);

  await search("has:file bittern");
  const hit = hits(ada.page).first();
  expect(await hit.innerText()).toMatch(/Deposit\.pdf[\s\S]*page 2:[\s\S]*No bitterns/);
  expect(await ada.page.locator("mark").allInnerTexts()).toEqual(["bitterns"]);
  await hit.click();
  await log.getByText("The contract tokens=3").waitFor();
  expect(ada.page.url()).toMatch(new RegExp(`^${thread}\\?m=msg_0`));
  await ada.page.locator("[data-marked]").getByText("Deposit.pdf").waitFor();

  await search("plover");
  await hits(ada.page).first().click();
  await look.getByRole("img").first().waitFor();

  await ada.page.goto("/");
  await composer.focus();
  await ada.page.keyboard.press("Control+K");
  await palette(ada.page).fill("plover");
  const files = ada.page.getByRole("group", { name: "Files" }).getByRole("option");
  await files.filter({ hasText: "Deposit.pdf" }).click();
  await look.getByRole("img").first().waitFor();
  expect(ada.page.url()).toMatch(/\?m=msg_0\w+&file=file_0\w+$/);
  const place = new URL(ada.page.url());
  await ada.page.keyboard.press("Escape");
  await look.waitFor({ state: "detached" });
  expect(ada.page.url()).toMatch(/\?m=msg_0\w+$/);
  await log.getByText("The contract tokens=3").waitFor();

  // A source of an answer has the same address.
  await ada.page.goto(place.pathname + place.search);
  await look.getByRole("img").first().waitFor();
  await look.getByRole("button", { name: "Close" }).click();
  await look.waitFor({ state: "detached" });
});

test("lists a chat once, and its other matches on request", async ({ ada }) => {
  await ada.page.goto("/search?q=wagtail");
  await ada.page.getByText("No results for").waitFor();
  await ada.page.evaluate(async () => {
    const headers = { "Content-Type": "application/json", "Parlance-Client": "web" };
    const post = async (path: string, body: object) =>
      (await (await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })).json()) as {
        thread_id: string;
        message_id: string;
      };
    const thread = { title: "Wagtails", last_message_at: new Date().toISOString() };
    const { thread_id: id } = await post("/v1/threads", thread);
    let parent: string | null = null;
    for (const number of [1, 2, 3, 4, 5]) {
      const content = { role: "user", content: [{ type: "text", text: `Wagtail ${number}` }] };
      const body: object = { parent_id: parent, format: "aui/v0", content };
      parent = (await post(`/v1/threads/${id}/messages`, body)).message_id;
    }
  });
  await ada.page.reload();
  const shown = async (texts: string[]) =>
    await expect
      .poll(async () => (await hits(ada.page).allInnerTexts()).map((text) => text.split("\n")[0]!.trim()))
      .toEqual(["Wagtails", ...texts]);
  await shown([5, 4, 3].map((number) => `You: Wagtail ${number}`));
  await ada.page.getByRole("button", { name: "2 more matches in this chat" }).press("Enter");
  await shown([5, 4, 3, 2, 1].map((number) => `You: Wagtail ${number}`));
  // The first of the new ones has the focus.
  await expect
    .poll(async () => await ada.page.evaluate(() => document.activeElement?.textContent))
    .toContain("Wagtail 2");
});

test("goes to an early message of a long thread", async ({ ada }) => {
  const { ask, settled, log } = chat(ada.page);
  await ask("A lonely heron stands here tokens=2");
  await settled();
  const threadId = ada.page.url().split("/").at(-1)!;
  // So long that its beginning is not loaded; created through the API, so that no page renders it.
  await ada.page.goto(`${environment.server.url}/settings`);
  await ada.page.evaluate(async (id) => {
    const headers = { "Content-Type": "application/json", "Parlance-Client": "web" };
    const branch = (await (await fetch(`/v1/threads/${id}/branch`, { headers })).json()) as {
      head_id: string;
    };
    let parent = branch.head_id;
    for (let number = 0; number < 150; number++) {
      const content = {
        role: number % 2 === 0 ? "user" : "assistant",
        content: [{ type: "text", text: `Filler ${number}` }],
      };
      const answer = await fetch(`/v1/threads/${id}/messages`, {
        method: "POST",
        headers,
        body: JSON.stringify({ parent_id: parent, format: "aui/v0", content }),
      });
      parent = ((await answer.json()) as { message_id: string }).message_id;
    }
  }, threadId);
  await ada.page.goto(`${environment.server.url}/search?q=heron`);
  await hits(ada.page).filter({ hasText: "You:" }).click();
  const message = log.getByText("A lonely heron stands here");
  await message.waitFor();
  await eventually(
    async () => (await message.boundingBox())?.y ?? -1,
    (y) => {
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(800);
    },
  );
});

test("opens threads, messages, actions and the list of shortcuts with the keyboard alone", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { ask, settled, log, composer } = chat(ada.page);
  await ask("Paint the pergola tokens=3");
  await settled();
  await composer.focus();
  await ada.page.keyboard.press("Control+Shift+O");
  await ada.page.getByRole("heading", { name: "What’s on your mind?" }).waitFor();
  await ada.page.keyboard.press("Control+K");
  await palette(ada.page).fill("pergo");
  const option = ada.page.getByRole("option").filter({ hasText: "Paint the" }).first();
  await option.waitFor();
  await ada.page.keyboard.press("Enter");
  await log.getByText("Paint the pergola").waitFor();
  // Esc closes it and restores the focus.
  await composer.focus();
  await ada.page.keyboard.press("Control+K");
  await palette(ada.page).waitFor();
  await ada.page.keyboard.press("Escape");
  await palette(ada.page).waitFor({ state: "detached" });
  await expect
    .poll(async () => await composer.evaluate((element) => element === document.activeElement))
    .toBe(true);

  // A thread with several matches is listed once, with its title first.
  await ask("Prune the wisteria in July tokens=3");
  await settled();
  await ask("Water the wisteria in August tokens=3");
  await settled();
  await composer.focus();
  await ada.page.keyboard.press("Control+Shift+O");
  await ada.page.keyboard.press("Control+K");
  await palette(ada.page).fill("wisteria");
  const found = ada.page.getByRole("group", { name: "Messages" }).getByRole("option");
  await found.first().waitFor();
  expect(await found.count()).toBe(1);
  expect(await found.first().innerText()).toMatch(/^.+\nWater the wisteria.+\n2 results$/);
  await found.first().click();
  await log.getByText("Water the wisteria").waitFor();
  expect(ada.page.url()).toMatch(/\?m=msg_/);

  // In a text field, ? is a letter.
  await composer.fill("Why");
  await composer.press("?");
  expect(await composer.inputValue()).toBe("Why?");
  await ada.page.locator("#main").focus();
  await ada.page.keyboard.press("?");
  const box = ada.page.getByRole("dialog", { name: "Keyboard" });
  await box.getByText("New chat").waitFor();
  await ada.page.keyboard.press("Escape");
  await box.waitFor({ state: "detached" });

  await ada.page.keyboard.press("Control+K");
  await palette(ada.page).fill("dark th");
  await ada.page.getByRole("option", { name: "Dark theme" }).waitFor();
  await ada.page.keyboard.press("Enter");
  await expect
    .poll(async () => await ada.page.evaluate(() => document.documentElement.dataset["theme"]))
    .toBe("dark");
});

test("opens the palette's result for the text that is typed", async ({ ada }) => {
  // Once the session is known.
  await ada.page.goto("/search?q=delphinium");
  await ada.page.getByText("No results for").waitFor();
  const ids = await ada.page.evaluate(async () => {
    const headers = { "Content-Type": "application/json", "Parlance-Client": "web" };
    const made: string[] = [];
    for (const title of ["Delphinium bed", "Shed roof", "Pergola beams"]) {
      const body = JSON.stringify({ title, last_message_at: new Date().toISOString() });
      const answer = await fetch("/v1/threads", { method: "POST", headers, body });
      made.push(((await answer.json()) as { thread_id: string }).thread_id);
    }
    return made;
  });
  const [delphinium, shed, pergola] = ids;
  const isAt = async (id: string | undefined) =>
    await eventually(
      async () => ada.page.url(),
      (url) => expect(url).toBe(`${environment.server.url}/t/${id}`),
    );
  await ada.context.route("**/v1/search?*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  await ada.page.goto(`/t/${pergola}`);
  await chat(ada.page).composer.focus();
  await ada.page.keyboard.press("Control+K");
  await palette(ada.page).fill("pergola");
  await ada.page.getByRole("option").filter({ hasText: "Pergola beams" }).waitFor();
  await palette(ada.page).fill("shed");
  await ada.page.keyboard.press("Enter");
  await isAt(shed);
  // Until the titles arrive, the first entry is "Delete this chat".
  await chat(ada.page).composer.focus();
  await ada.page.keyboard.press("Control+K");
  await palette(ada.page).fill("del");
  await ada.page.getByRole("option", { name: "Delete this chat" }).waitFor();
  await ada.page.keyboard.press("Enter");
  await isAt(delphinium);
  // A selected entry is opened, whatever is found later.
  await chat(ada.page).composer.focus();
  await ada.page.keyboard.press("Control+K");
  await palette(ada.page).fill("dark t");
  await ada.page.getByRole("option", { name: "Dark theme" }).waitFor();
  await ada.page.keyboard.press("ArrowDown");
  await ada.page.keyboard.press("ArrowUp");
  await ada.page.keyboard.press("Enter");
  await expect
    .poll(async () => await ada.page.evaluate(() => document.documentElement.dataset["theme"]))
    .toBe("dark");
});

test("searches with filters only, in the days of the browser’s time zone, and says what it cannot search for", async () => {
  const ada = await visit(environment.browser, environment.server.url, { timeZone: "Pacific/Kiritimati" });
  const sent = ada.page.waitForRequest((request) => request.url().endsWith("/runs"));
  const { ask, settled } = chat(ada.page);
  await ask("A dipper bobs tokens=3");
  expect(((await sent).postDataJSON() as { time_zone: string }).time_zone).toBe("Pacific/Kiritimati");
  await settled();
  const id = new URL(ada.page.url()).pathname.split("/").at(-1)!;
  await ada.page.goto(`/search?q=${encodeURIComponent(`in:${id}`)}`);
  await hits(ada.page).filter({ hasText: "You:" }).getByText("A dipper bobs").waitFor();
  await field(ada.page).fill("archived:yes");
  await ada.page.getByText("No results for “archived:yes”.").waitFor();

  await ada.page.goto(`${environment.server.url}/search?q=${encodeURIComponent("xyzzy before:soon")}`);
  await ada.page.getByText("No results for “xyzzy before:soon”.").waitFor();
  await ada.page.getByText("Ignored, not a valid filter: before:soon").waitFor();
  expect(await field(ada.page).inputValue()).toBe("xyzzy before:soon");

  // Too long: it is kept.
  const pasted = '"(*🎉 NEAR '.repeat(1_000);
  await field(ada.page).fill(pasted);
  await ada.page.getByText("Your search is too long").waitFor();
  await ada.page.getByText(/can have up to 1,000 characters, and this one has 11,000/).waitFor();
  expect(await field(ada.page).inputValue()).toBe(pasted);
  await field(ada.page).fill("short");
  await ada.page.getByText("No results for “short”.").waitFor();
});
