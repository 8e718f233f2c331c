import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { violations } from "../support/violations.ts";
import { visit, type Visit, type VisitOptions } from "../support/visit.ts";

const environment = startEnvironment();

const fenced = (info: string, code: string) => `\`\`\`${info}\n${code}\n\`\`\``;
const notes = (text: string) => `# Notes\n\n${text}`;
const parts = (page: Page) => {
  const panel = page.getByRole("region", { name: "Panel" });
  return {
    panel,
    editor: panel.getByRole("textbox", { name: /^Edit / }),
    editTab: panel.getByRole("tab", { name: "Edit", exact: true }),
    save: panel.getByRole("button", { name: "Save" }),
    conflict: panel.getByRole("alert"),
  };
};
/** A person who has these notes as an answer, and opened them in the editor. */
async function visitEditor({
  written = fenced("markdown", notes("First.")),
  next,
  ...options
}: VisitOptions & { written?: string; next?: string } = {}): Promise<Visit> {
  const ada = await visit(environment.browser, environment.server.url, options);
  const { ask, settled, answers } = chat(ada.page);
  for (const question of [`${written}\n\necho`, ...(next === undefined ? [] : [next])]) {
    await ask(question);
    await settled();
  }
  await answers.first().getByRole("button", { name: "Open" }).click();
  await parts(ada.page).editTab.click();
  await parts(ada.page).editor.waitFor();
  return ada;
}
/** The requests that store a version. */
const saves = "**/messages?title=false";
/** Holds the next save until `finish`. */
const holdSaving = async ({ context }: Visit) => {
  const begun = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  await context.route(
    saves,
    async (route) => {
      begun.resolve();
      await finished.promise;
      await route.continue();
    },
    { times: 1 },
  );
  return { hasBegun: begun.promise, finish: finished.resolve };
};
const replaceAll = async (page: Page, text: string) => {
  await parts(page).editor.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
};

test("edits an artifact in an editor on a phone, with the keyboard", async () => {
  const ada = await visitEditor({
    written: `Here:\n\n${fenced("markdown", notes("Willows bend."))}`,
    width: 390,
    networkErrorsExpected: true,
  });
  const { page } = ada;
  const { settled, answers, composer } = chat(page);
  const { panel, editor, save } = parts(page);
  expect(await save.isDisabled()).toBe(true);
  await editor.click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("\n\n```js\n1 ? 2\n```");
  // Esc, then Tab leaves the editor and does not close the panel.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  const discard = panel.getByRole("button", { name: "Discard" });
  expect(await discard.evaluate((it) => it === document.activeElement)).toBe(true);
  expect(await violations(page, "[aria-label=Panel]")).toEqual([]);

  // What was typed survives a reload, and a failure to save it.
  await page.reload();
  await panel.getByRole("tab", { name: "Edit (unsaved)" }).waitFor();
  await expect.poll(async () => await editor.innerText()).toContain("```js");
  await ada.context.route(saves, async (route) => await route.abort("connectionrefused"));
  await editor.click();
  await page.keyboard.press("ControlOrMeta+s");
  await page.getByText("Can’t reach the server.").first().waitFor();
  await ada.context.unroute(saves);
  await page.keyboard.press("ControlOrMeta+s");

  await panel.getByText("Version 2 of 2").waitFor();
  await panel.getByText("Edited by hand").waitFor();
  await panel.getByRole("tab", { name: "Changes" }).click();
  await expect
    .poll(async () => (await panel.getByRole("insertion").allInnerTexts()).join("\n"))
    .toBe("+ \n+ ```js\n+ 1 ? 2\n+ ```");
  await panel.getByRole("button", { name: "Previous version" }).click();
  await panel.getByRole("tab", { name: "Code" }).click();
  await panel.getByText("Willows bend.").waitFor();
  expect(await panel.getByText("Edited by hand").count()).toBe(0);
  await panel.getByRole("button", { name: "Close panel" }).click();
  await answers.first().getByText("Edited by you").waitFor();
  // The model reads the edited version.
  await composer.fill("And poplars? tokens=2");
  await composer.press("Enter");
  const request = () =>
    environment.model.requests.findLast((one) => JSON.stringify(one).includes("And poplars"));
  await expect
    .poll(() => JSON.stringify(request()))
    .toContain("Willows bend.\\n\\n```js\\n1 ? 2\\n```\\n````");
  await settled();
});

test("shows a newer version that comes while a draft is open, and loses neither", async () => {
  const ada = await visitEditor();
  const { page } = ada;
  const { ask, settled } = chat(page);
  const { panel, editor, editTab, save, conflict } = parts(page);
  await replaceAll(page, notes("Mine."));
  await ask(`${fenced("markdown", notes("The model’s."))}\n\necho`);
  await conflict.getByText("There is a newer version than the one you began with.").waitFor();
  await settled();
  expect(await save.isDisabled()).toBe(true);
  await conflict.getByRole("button", { name: "Compare" }).click();
  await panel.getByRole("deletion").getByText("The model’s.").waitFor();
  await panel.getByRole("insertion").getByText("Mine.").waitFor();
  await conflict.getByRole("button", { name: "Keep mine" }).click();
  await save.click();
  await panel.getByText("Version 3 of 3").waitFor();
  await panel.getByText("Mine.").waitFor();
  await panel.getByRole("button", { name: "Previous version" }).click();
  await panel.getByText("The model’s.").waitFor();

  // An earlier version is continued after the latest one.
  await panel.getByRole("slider").press("Home");
  await editTab.click();
  await expect.poll(async () => await editor.innerText()).toContain("First.");
  await save.click();
  await panel.getByText("Version 4 of 4").waitFor();
  await panel.getByText("First.").waitFor();
});

test("two tabs edit one artifact: each keeps its words, and the later one chooses, under another title too", async () => {
  const ada = await visitEditor();
  const { page } = ada;
  const other = await ada.context.newPage();
  await other.goto(page.url());
  await parts(other).editor.waitFor();
  await replaceAll(page, notes("Of one tab."));
  // A tab in which nothing was typed follows.
  await parts(other).editor.getByText("Of one tab.").waitFor();
  await replaceAll(other, notes("Of the other."));
  await expect.poll(async () => await parts(page).editor.innerText()).toContain("Of one tab.");
  await parts(page).save.click();
  await parts(page).panel.getByText("Version 2 of 2").waitFor();
  await parts(other).conflict.waitFor();
  expect(await parts(other).editor.innerText()).toContain("Of the other.");
  await parts(other).conflict.getByRole("button", { name: "Use the newer one" }).click();
  await parts(other).editor.getByText("Of one tab.").waitFor();
  await other.getByRole("button", { name: "Undo" }).click();
  await parts(other).editor.getByText("Of the other.").waitFor();
  await parts(other).conflict.getByRole("button", { name: "Keep mine" }).click();
  await parts(other).save.click();
  for (const tab of [page, other]) await parts(tab).panel.getByText("Version 3 of 3").waitFor();
  await parts(page).panel.getByText("Of the other.").waitFor();

  // A draft follows its artifact when another tab saves another title.
  for (const tab of [page, other]) await parts(tab).editTab.click();
  await parts(other).editor.waitFor();
  await replaceAll(page, "# Trees\n\nBy the brook.");
  await parts(other).editor.getByText("By the brook.").waitFor();
  await replaceAll(other, notes("On the hill."));
  await parts(page).save.click();
  await parts(page).panel.getByText("Version 4 of 4").waitFor();
  await parts(other).conflict.waitFor();
  await parts(other).panel.getByRole("textbox", { name: "Edit Trees" }).getByText("On the hill.").waitFor();
});

test("an editor stays open until what another tab saved under another title is read", async () => {
  const ada = await visitEditor();
  const { page } = ada;
  const other = await ada.context.newPage();
  await other.goto(page.url());
  await parts(other).editor.waitFor();
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // The answer that was edited.
  await other.route(/\/branch\?last=/, async (route) => {
    asked.resolve();
    await held.promise;
    await route.continue();
  });
  await replaceAll(page, "# Trees\n\nBy the brook.");
  await parts(page).save.click();
  await asked.promise;
  await parts(page).panel.getByText("Version 2 of 2").waitFor();
  await parts(other).editor.evaluate((it) => it.setAttribute("data-before", ""));
  await parts(other).editor.click();
  await other.keyboard.press("ControlOrMeta+End");
  await other.keyboard.type(" And on.");
  held.resolve();
  await parts(other).conflict.waitFor();
  expect(await parts(other).panel.locator("[data-before]").innerText()).toContain("And on.");
});

test("keeps what is typed while it saves, a version whose response was lost, and the page to which a person goes meanwhile", async () => {
  // Messages below hide no version.
  const ada = await visitEditor({ next: "And poplars? tokens=2", networkErrorsExpected: true });
  const { page } = ada;
  const { panel, editor, editTab, save, conflict } = parts(page);
  let saving = await holdSaving(ada);
  await replaceAll(page, notes("Mine."));
  await page.keyboard.press("ControlOrMeta+s");
  await saving.hasBegun;
  await page.keyboard.type(" And on.");
  saving.finish();
  await panel.getByText("Version 2 of 2").waitFor();
  await panel.getByRole("button", { name: "Save", disabled: false }).waitFor();
  expect(await editor.innerText()).toContain("Mine. And on.");
  expect(await conflict.count()).toBe(0);
  // Another title is another version of the same.
  await replaceAll(page, "# Trees\n\nMine. And on.");
  await page.keyboard.press("ControlOrMeta+s");
  await panel.getByText("Version 3 of 3").waitFor();
  const preview = panel.getByRole("tab", { name: "Preview", selected: true });
  await expect.poll(async () => await preview.evaluate((tab) => tab === document.activeElement)).toBe(true);
  await page.reload();
  await panel.getByRole("heading", { name: "Trees" }).first().waitFor();
  await panel.getByText("Version 3 of 3").waitFor();
  expect(await panel.getByRole("tab", { name: "Edit (unsaved)" }).count()).toBe(0);

  // A version whose response was lost is no other version.
  await editTab.click();
  await replaceAll(page, "# Trees\n\nTheirs.");
  await ada.context.route(saves, async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });
  await save.click();
  await panel.getByText("Version 4 of 4").waitFor();
  await editTab.waitFor();
  expect(await editor.innerText()).toContain("Theirs.");
  expect(await conflict.count()).toBe(0);
  await ada.context.unroute(saves);

  // A save that ends after the person left does not bring the person back.
  saving = await holdSaving(ada);
  await replaceAll(page, "# Trees\n\nLeft.");
  await save.click();
  await saving.hasBegun;
  await page.getByRole("button", { name: "New chat" }).first().click();
  await panel.waitFor({ state: "detached" });
  const stored = page.waitForResponse(saves);
  saving.finish();
  await stored;
  await page.waitForTimeout(500);
  expect(new URL(page.url()).pathname).toBe("/");
});

test("code without an end, as of a stopped answer, is edited, and stays an artifact when it gets short", async () => {
  const ada = await visitEditor({ written: `echo\n\n\`\`\`py title="Notes"\n${"print(0)\n".repeat(20)}` });
  const { page } = ada;
  await replaceAll(page, "print(1)");
  const { panel, save } = parts(page);
  await save.click();
  await panel.getByText("Version 2 of 2").waitFor();
  await panel.getByRole("tab", { name: "Code", selected: true }).waitFor();
  await panel.getByText("print(1)").waitFor();
});

test("asks about what is selected in the editor, or about what was typed there", async () => {
  const ada = await visitEditor();
  const { page } = ada;
  const { composer } = chat(page);
  const { panel, editor } = parts(page);
  const ask = panel.getByRole("button", { name: "Ask about this" });
  await replaceAll(page, notes("Willows bend."));
  await page.keyboard.press("Shift+Home");
  await ask.click();
  expect(await composer.inputValue()).toBe("> Willows bend.\n\n");
  await composer.fill("");
  await editor.click();
  await ask.click();
  expect(await composer.inputValue()).toBe(
    `> Notes (Markdown)\n\n${fenced("markdown", notes("Willows bend."))}\n\n`,
  );
});
