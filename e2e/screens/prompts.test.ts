import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

/** Creates a prompt with the keyboard alone. */
async function create(page: Page, title: string, text: string) {
  await page.getByRole("button", { name: "New prompt" }).press("Enter");
  await page.getByRole("textbox", { name: "Title" }).focus();
  await page.keyboard.type(title);
  await page.keyboard.press("Tab");
  await page.keyboard.insertText(text);
  await page.getByRole("button", { name: "Save" }).press("Enter");
  await page.getByRole("link", { name: title }).waitFor();
}

test("a prompt is written, found with a slash, filled in and sent, with the keyboard alone", async () => {
  const dan = await visit(environment.browser, environment.server.url, { path: "/prompts" });
  const { page } = dan;
  await page.getByText("You have no prompts yet.").waitFor();
  await create(page, "Weekly report", "Report on {{topic}} for {{reader}} tokens=3");
  await create(page, "Greeting", "Good morning tokens=3");
  expect(await violations(page)).toEqual([]);

  await page.goto("/");
  const { composer, questions, settled } = chat(page);
  await composer.focus();
  await page.keyboard.type("/");
  const list = page.getByRole("listbox", { name: "Commands and prompts" });
  await list.getByRole("option", { name: "Weekly report" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.type("rep");
  await expect.poll(async () => await list.getByRole("option").count()).toBe(1);
  const active = await composer.getAttribute("aria-activedescendant");
  expect(await page.locator(`[id="${active}"]`).innerText()).toContain("Weekly report");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "topic" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.type("herons");
  await page.keyboard.press("Enter");
  await page.keyboard.type("Ben");
  await page.keyboard.press("Enter");
  await expect.poll(async () => await composer.inputValue()).toBe("Report on herons for Ben tokens=3");
  await page.keyboard.press("Enter");
  await questions.first().getByText("Report on herons for Ben").waitFor();
  await settled();
});

test("a prompt and a pasted text with markup stay text (CVE-2025-64495)", async () => {
  const markup = `<img src=x onerror="document.title='run'"><iframe srcdoc="<script>top.document.title='run'</script>"></iframe>`;
  const dan = await visit(environment.browser, environment.server.url, { path: "/prompts" });
  const { page } = dan;
  await create(page, "Attack <b>bold</b>", `${markup} tokens=3`);
  await page.goto("/");
  const { composer, questions, settled } = chat(page);
  await composer.focus();
  await page.keyboard.type("/attack");
  await page.getByRole("option", { name: "Attack <b>bold</b>" }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(async () => await composer.inputValue()).toBe(`${markup} tokens=3`);
  // The browser itself parses the HTML that a page writes to the clipboard, so that one has no handler.
  await page.evaluate(async (text) => {
    const texts = { "text/html": "<img src=x>", "text/plain": text };
    const blobs = Object.entries(texts).map(([type, each]) => [type, new Blob([each], { type })]);
    await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))]);
  }, markup);
  await page.keyboard.press("ControlOrMeta+v");
  await expect.poll(async () => await composer.inputValue()).toBe(`${markup} tokens=3${markup}`);
  await composer.press("Enter");
  await questions.first().getByText(markup).waitFor();
  await settled();
  expect(await page.locator("iframe, img[src='x']").count()).toBe(0);
  expect(await page.title()).not.toBe("run");
});

test("Esc closes the list and keeps the text, which can be sent; commands run; input methods are not disturbed", async () => {
  const dan = await visit(environment.browser, environment.server.url);
  const { page } = dan;
  const { composer, questions, settled } = chat(page);
  const list = page.getByRole("listbox", { name: "Commands and prompts" });
  await composer.focus();
  await page.keyboard.type("/new");
  await list.getByRole("option", { name: "New chat" }).waitFor();
  // An input method composes: its Enter chooses nothing.
  await composer.dispatchEvent("keydown", { key: "Enter", isComposing: true });
  expect(await composer.inputValue()).toBe("/new");
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  expect(await composer.inputValue()).toBe("/new");
  await page.keyboard.type(" tokens=3");
  await page.keyboard.press("Enter");
  await questions.first().getByText("/new tokens=3").waitFor();
  await page.waitForURL("**/t/*");
  await settled();

  // The list stays closed above a draft to which one comes back.
  await page.keyboard.type("/set");
  await list.waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "New chat", exact: true }).click();
  await expect.poll(() => composer.inputValue()).toBe("");
  await page.goBack();
  await expect.poll(() => composer.inputValue()).toBe("/set");
  expect(await list.count()).toBe(0);
  await composer.fill("");
  await page.keyboard.type("/sett");
  await list.getByRole("option", { name: "Go to settings" }).click();
  await page.waitForURL("**/settings/general");
  await page.goBack();
  await composer.waitFor();
  expect(await composer.inputValue()).toBe("");
  // A path matches nothing, so there is no list and Enter sends it.
  await composer.fill("/etc/hosts tokens=3");
  expect(await list.count()).toBe(0);
  await composer.press("Enter");
  await questions.nth(1).getByText("/etc/hosts").waitFor();
  await settled();
});
