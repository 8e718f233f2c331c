import { expect } from "vitest";
import { chat, eventually } from "../support/chat.ts";
import { base64, drop } from "../support/drop.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("keeps a menu open beside its button when the window is resized", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 900 });
  const { ask, settled } = chat(ada.page);
  await ask("Tell me of rivers tokens=3");
  await settled();
  const button = ada.page.getByRole("main").getByRole("button", { name: /^Actions for/ });
  await button.click();
  const menu = ada.page.getByRole("menu");
  await menu.waitFor();
  // As when a phone closes its keyboard, and when it is rotated.
  await ada.page.setViewportSize({ width: 800, height: 500 });
  await ada.page.waitForFunction(() => innerHeight === 500);
  await eventually(
    async () => [await menu.boundingBox(), await button.boundingBox()],
    ([box, anchor]) => expect(Math.abs(box!.x + box!.width - (anchor!.x + anchor!.width))).toBeLessThan(12),
  );
  await ada.page.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });
});

test("uses a menu with the keyboard, closes it with its button, and leaves the drawer open", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390, height: 700 });
  const { keyboard } = ada.page;
  const { ask, settled, threads } = chat(ada.page);
  await ask("Tell me of rivers tokens=3");
  await settled();
  await ada.page.getByRole("button", { name: "Show sidebar" }).click();
  const button = threads.getByRole("button", { name: /^Actions for/ });
  const menu = ada.page.getByRole("menu", { name: /^Actions for/ });
  const hasFocus = async (name: string) =>
    await expect
      .poll(async () => await ada.page.evaluate(() => document.activeElement?.textContent))
      .toBe(name);
  // The first press loads the menu's code.
  for (const _ of ["first", "second"]) {
    await button.press("Enter");
    await menu.waitFor();
    expect(await button.getAttribute("aria-expanded")).toBe("true");
    await hasFocus("Rename");
    await keyboard.press("ArrowUp");
    await hasFocus("Delete");
    await keyboard.press("ArrowDown");
    await hasFocus("Rename");
    await keyboard.type("ar");
    await hasFocus("Archive");
    await keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await expect.poll(async () => await button.evaluate((it) => it === document.activeElement)).toBe(true);
  }
  await button.click();
  await menu.waitFor();
  await hasFocus("Rename");
  await button.click();
  await menu.waitFor({ state: "detached" });
  expect(await threads.isVisible()).toBe(true);
});

test("aligns a menu with its button in right-to-left pages", async () => {
  const ada = await visit(environment.browser, environment.server.url, { locale: "ar" });
  await ada.page.goto("/settings/assistants");
  const button = ada.page.getByRole("main").locator("[aria-haspopup=menu]").first();
  await button.click();
  const menu = ada.page.getByRole("menu");
  await menu.waitFor();
  const [box, anchor] = [await menu.boundingBox(), await button.boundingBox()];
  expect(Math.abs(box!.x - anchor!.x)).toBeLessThan(12);
});

test("closes a tooltip with Esc, and stops the answer only with the next Esc", async ({ ada }) => {
  const { ask, settled, answers } = chat(ada.page);
  await ask("Go on\nendless gap=40");
  await answers.first().waitFor();
  await ada.page.getByRole("button", { name: "Hide sidebar" }).hover();
  const tip = ada.page.getByText(/^Hide sidebar/).and(ada.page.locator("[popover]"));
  await tip.waitFor();
  await ada.page.keyboard.press("Escape");
  await tip.waitFor({ state: "hidden" });
  const before = (await answers.first().innerText()).length;
  await expect.poll(async () => (await answers.first().innerText()).length).toBeGreaterThan(before + 150);
  await ada.page.keyboard.press("Escape");
  await settled();
  await answers.first().getByText("You stopped this answer.").waitFor();
});

test("closes the palette and the drawer for a shortcut, but not a confirmation", async () => {
  const ada = await visit(environment.browser, environment.server.url, { path: "/settings", width: 390 });
  const { composer } = chat(ada.page);
  const palette = ada.page.getByRole("combobox", { name: "Search chats, messages, files and actions" });
  await ada.page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  await ada.page.keyboard.press("Control+k");
  await palette.waitFor();
  await ada.page.keyboard.press("Control+Shift+O");
  await composer.waitFor();
  expect(await palette.count()).toBe(0);

  await ada.page.getByRole("button", { name: "Show sidebar" }).click();
  await ada.page.getByRole("link", { name: "Settings" }).waitFor();
  await ada.page.keyboard.press("Control+Shift+O");
  await expect
    .poll(async () => await composer.evaluate((field) => field === document.activeElement))
    .toBe(true);
  expect(await ada.page.getByRole("main").getAttribute("inert")).toBeNull();

  await ada.page.goto("/settings/data");
  await ada.page.getByRole("button", { name: "Delete everything" }).click();
  const box = ada.page.getByRole("dialog");
  await box.waitFor();
  await ada.page.keyboard.press("Control+k");
  await ada.page.keyboard.press("Control+Shift+O");
  await box.getByRole("button", { name: "Cancel" }).press("Enter");
  await box.waitFor({ state: "detached" });
  expect(new URL(ada.page.url()).pathname).toBe("/settings/data");
  expect(await palette.count()).toBe(0);
});

test("attaches dropped files to the visible composer, and never navigates to a file", async ({ ada }) => {
  const { ask, settled, questions } = chat(ada.page);
  await ask("Tell me of rivers tokens=3");
  await settled();
  const note = [{ name: "note.txt", type: "text/plain", body: base64("note") }];
  await questions.first().getByRole("button", { name: "Edit" }).press("Enter");
  await questions.first().getByRole("textbox").waitFor();
  await drop(ada.page, note);
  await questions.first().getByText("note.txt").waitFor();
  expect(await ada.page.getByText("note.txt").count()).toBe(1);

  await ada.page.goto("/settings");
  await ada.page.getByRole("heading", { name: "General", level: 1 }).waitFor();
  const refused = await ada.page.evaluate(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["x"], "x.txt", { type: "text/plain" }));
    return ["dragover", "drop"].map(
      (kind) =>
        !document.body.dispatchEvent(
          new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: transfer }),
        ),
    );
  });
  expect(refused).toEqual([true, true]);
});

test("closes the palette with a button on touch screens", async () => {
  const telephone = await environment.browser.newContext({
    baseURL: environment.server.url,
    viewport: { width: 390, height: 700 },
    hasTouch: true,
    isMobile: true,
  });
  const page = await telephone.newPage();
  await page.goto("/");
  await page.getByRole("button", { name: "Show sidebar" }).tap();
  await page.getByRole("button", { name: "Search" }).tap();
  const palette = page.getByRole("dialog", { name: "Command palette" });
  await palette.getByRole("button", { name: "Close" }).tap();
  await palette.waitFor({ state: "detached" });
  await telephone.close();
});
