import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit, type Visit } from "../support/visit.ts";

const environment = startEnvironment();

const fenced = (info: string, code: string) => `\`\`\`${info}\n${code}\n\`\`\``;
const notes = (text: string) => `# Notes\n\n${text}`;
const parts = (page: Page) => {
  const panel = page.getByRole("region", { name: "Panel" });
  return {
    panel,
    editor: panel.getByRole("textbox", { name: "Edit Notes" }),
    save: panel.getByRole("button", { name: "Save" }),
    conflict: panel.getByRole("alert"),
  };
};
/** The page opens the notes of the first answer in the editor. */
const openEditor = async (page: Page) => {
  await chat(page).answers.first().getByRole("button", { name: "Open" }).click();
  await parts(page).panel.getByRole("tab", { name: "Edit" }).click();
  await parts(page).editor.waitFor();
};
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

test.each([1280, 390])("edits an artifact in an editor, with the keyboard, at %i px", async (width) => {
  const ada = await visit(environment.browser, environment.server.url, {
    width,
    networkErrorsExpected: true,
  });
  const { page } = ada;
  const { ask, settled, answers, composer } = chat(page);
  await ask(`Here:\n\n${fenced("markdown", notes("Willows bend."))}\n\necho`);
  await settled();
  await openEditor(page);
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
  const found = await new AxeBuilder({ page }).include("[aria-label=Panel]").analyze();
  expect(found.violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).toEqual([]);

  // What was typed survives a reload, and a failure to save it.
  await page.reload();
  await panel.getByRole("tab", { name: "Edit (unsaved)" }).waitFor();
  await eventually(
    async () => await editor.innerText(),
    (text) => expect(text).toContain("```js"),
  );
  await ada.context.route(saves, async (route) => await route.abort("connectionrefused"));
  await editor.click();
  await page.keyboard.press("ControlOrMeta+s");
  await page.getByText("Can’t reach the server.").first().waitFor();
  await ada.context.unroute(saves);
  await page.keyboard.press("ControlOrMeta+s");

  await panel.getByText("Version 2 of 2").waitFor();
  await panel.getByText("Edited by hand").waitFor();
  await panel.getByRole("tab", { name: "Changes" }).click();
  await eventually(
    async () => await panel.getByRole("insertion").allInnerTexts(),
    (added) => expect(added.join("\n")).toBe("+ \n+ ```js\n+ 1 ? 2\n+ ```"),
  );
  await panel.getByRole("button", { name: "Previous version" }).click();
  await panel.getByRole("tab", { name: "Code" }).click();
  await panel.getByText("Willows bend.").waitFor();
  expect(await panel.getByText("Edited by hand").count()).toBe(0);
  await panel.getByRole("button", { name: "Close panel" }).click();
  await answers.first().getByText("Edited by you").waitFor();
  // The model reads the edited version.
  await composer.fill("And poplars? tokens=2");
  await composer.press("Enter");
  await settled();
  const request = environment.model.requests.findLast((one) => JSON.stringify(one).includes("And poplars"));
  expect(JSON.stringify(request)).toContain("Willows bend.\\n\\n```js\\n1 ? 2\\n```\\n````");
  await ada.end();
});

test("shows a newer version that comes while a draft is open, and loses neither", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, settled } = chat(page);
  await ask(`${fenced("markdown", notes("First."))}\n\necho`);
  await settled();
  await openEditor(page);
  const { panel, editor, save, conflict } = parts(page);
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
  await panel.getByRole("tab", { name: "Edit" }).click();
  await eventually(
    async () => await editor.innerText(),
    (text) => expect(text).toContain("First."),
  );
  await save.click();
  await panel.getByText("Version 4 of 4").waitFor();
  await panel.getByText("First.").waitFor();
  await ada.end();
});

test("two tabs edit one artifact: each keeps its words, and the later one chooses", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, settled } = chat(page);
  await ask(`${fenced("markdown", notes("First."))}\n\necho`);
  await settled();
  await openEditor(page);
  const other = await ada.context.newPage();
  await other.goto(page.url());
  await parts(other).editor.waitFor();
  await replaceAll(page, notes("Of one tab."));
  // A tab in which nothing was typed follows.
  await parts(other).editor.getByText("Of one tab.").waitFor();
  await replaceAll(other, notes("Of the other."));
  await eventually(
    async () => await parts(page).editor.innerText(),
    (text) => expect(text).toContain("Of one tab."),
  );
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
  await ada.end();
});

test("keeps what is typed while it saves, then closes the editor; messages below hide no version", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, settled } = chat(page);
  await ask(`${fenced("markdown", notes("First."))}\n\necho`);
  await settled();
  await ask("And poplars? tokens=2");
  await settled();
  await openEditor(page);
  const { panel, editor, conflict } = parts(page);
  const saving = await holdSaving(ada);
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
  await eventually(
    async () => await preview.evaluate((tab) => tab === document.activeElement),
    (isFocused) => expect(isFocused).toBe(true),
  );
  await page.reload();
  await panel.getByRole("heading", { name: "Trees" }).first().waitFor();
  await panel.getByText("Version 3 of 3").waitFor();
  expect(await panel.getByRole("tab", { name: "Edit (unsaved)" }).count()).toBe(0);
  await ada.end();
});

test("a save that ends after the person left does not bring the person back", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, settled } = chat(page);
  await ask(`${fenced("markdown", notes("First."))}\n\necho`);
  await settled();
  await openEditor(page);
  const saving = await holdSaving(ada);
  await replaceAll(page, notes("Mine."));
  const { save, panel } = parts(page);
  await save.click();
  await saving.hasBegun;
  await page.getByRole("button", { name: "New chat" }).first().click();
  await panel.waitFor({ state: "detached" });
  const stored = page.waitForResponse(saves);
  saving.finish();
  await stored;
  await page.waitForTimeout(500);
  expect(new URL(page.url()).pathname).toBe("/");
  await ada.end();
});

test("a version whose response was lost is no other version", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { page } = ada;
  const { ask, settled } = chat(page);
  await ask(`${fenced("markdown", notes("First."))}\n\necho`);
  await settled();
  await openEditor(page);
  const { panel, save, editor, conflict } = parts(page);
  await replaceAll(page, notes("Mine."));
  await ada.context.route(saves, async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });
  await save.click();
  await panel.getByText("Version 2 of 2").waitFor();
  await panel.getByRole("tab", { name: "Edit", exact: true }).waitFor();
  expect(await editor.innerText()).toContain("Mine.");
  expect(await conflict.count()).toBe(0);
  await ada.end();
});

test("a draft follows its artifact when another tab saves another title", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, settled } = chat(page);
  await ask(`${fenced("markdown", notes("First."))}\n\necho`);
  await settled();
  await openEditor(page);
  const other = await ada.context.newPage();
  await other.goto(page.url());
  await parts(other).editor.waitFor();
  await replaceAll(page, "# Trees\n\nOf one tab.");
  await parts(other).editor.getByText("Of one tab.").waitFor();
  await replaceAll(other, notes("Of the other."));
  await parts(page).save.click();
  await parts(page).panel.getByText("Version 2 of 2").waitFor();
  await parts(other).conflict.waitFor();
  await parts(other).panel.getByRole("textbox", { name: "Edit Trees" }).getByText("Of the other.").waitFor();
  await ada.end();
});

test("code without an end, as of a stopped answer, is edited, and stays an artifact when it gets short", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, settled } = chat(page);
  await ask(`echo\n\n\`\`\`py title="Notes"\n${"print(0)\n".repeat(20)}`);
  await settled();
  await openEditor(page);
  await replaceAll(page, "print(1)");
  const { panel, save } = parts(page);
  await save.click();
  await panel.getByText("Version 2 of 2").waitFor();
  await panel.getByRole("tab", { name: "Code", selected: true }).waitFor();
  await panel.getByText("print(1)").waitFor();
  await ada.end();
});
