import type { Page } from "playwright-core";
import { expect } from "vitest";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const fenced = (info: string, code: string) => `\`\`\`${info}\n${code}\n\`\`\``;
const prices = (rows: number) =>
  ["fruit,price", ...Array.from({ length: rows }, (_, i) => `fruit ${i},${(i * 7) % rows}.5`)].join("\n");
const drawing = (colour: string) =>
  `<svg viewBox="0 0 40 40"><title>Sun</title><circle cx="20" cy="20" r="15" fill="${colour}"/></svg>`;

const panelOf = (page: Page) => page.getByRole("region", { name: "Panel" });
const params = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

test("opens a table over its thread on a phone, sorts and filters it, and keeps it after a reload", async () => {
  const width = 390;
  const ada = await visit(environment.browser, environment.server.url, { width });
  const { page } = ada;
  const { ask, answers, settled, composer } = chat(page);
  await ask(`# Prices\n\n${fenced("csv", prices(1_000))}\n\necho`);
  await settled();
  const open = answers.first().getByRole("button", { name: "Open" });
  await open.click();
  const panel = panelOf(page);
  const cells = panel.locator("tbody td:first-child");
  await panel.getByRole("heading", { name: "Prices" }).waitFor();
  await panel.getByText("1,000 rows").waitFor();
  expect(await composer.isVisible()).toBe(true);
  expect((await panel.boundingBox())!.width).toBeLessThanOrEqual(width);
  // Only the rows on the screen are rendered.
  expect(await cells.count()).toBeLessThan(150);

  const price = panel.getByRole("columnheader", { name: "price" });
  await price.getByRole("button").click();
  await price.getByRole("button").click();
  expect(await price.getAttribute("aria-sort")).toBe("descending");
  expect(await panel.locator("tbody td").nth(1).innerText()).toBe("999.5");
  await panel.getByRole("searchbox", { name: "Filter rows" }).fill("FRUIT 99");
  await panel.getByText("11 of 1,000 rows").waitFor();
  await panel.getByRole("searchbox").fill("");
  await panel.getByText("1,000 rows", { exact: true }).waitFor();
  await panel.getByRole("region", { name: "Prices" }).press("End");
  await panel.getByRole("cell", { name: "fruit 0", exact: true }).waitFor();

  await panel.getByRole("tab", { name: "Code" }).click();
  await panel.getByText("fruit,price").waitFor();
  await page.reload();
  await panel.getByText("fruit,price").waitFor();
  expect(params(page)).toMatchObject({ panel: "csv:Prices", view: "code" });
  await page.goBack();
  await panel.waitFor({ state: "detached" });
  await page.goForward();
  await panel.getByText("fruit,price").waitFor();
  expect(await violations(page, "[aria-label=Panel]")).toEqual([]);
  await panel.getByRole("button", { name: "Close panel" }).click();
  await panel.waitFor({ state: "detached" });
  expect(params(page)).toEqual({});
});

test("shows long code at once, which keeps its size while its lines come into view", async ({ page }) => {
  const { ask, answers, settled } = chat(page);
  const lines = Array.from({ length: 1_500 }, (_, i) => `value_${i} = compute(${i})`);
  lines[1_200] = `wide = "${"x".repeat(300)}"`;
  await ask(`${fenced("python", lines.join("\n"))}\n\necho`);
  await settled();
  await answers.first().getByRole("button", { name: "Open" }).click();
  const code = panelOf(page).locator("pre");
  await code.getByText("value_0 = ").waitFor();
  // The lines of another font have another height.
  await code.evaluate(
    async (box) => void (await document.fonts.load(`1em ${getComputedStyle(box).fontFamily}`)),
  );
  const size = async () =>
    await code.evaluate((box) => ({ height: box.scrollHeight, width: box.scrollWidth }));
  // The last lines are highlighted, and so put into their sections, a moment after they are shown.
  await eventually(size, ({ height }) => expect(height).toBeGreaterThan(1_500 * 21));
  const before = await size();
  for (let tenth = 1; tenth <= 10; tenth++)
    await code.evaluate(async (box, part) => {
      box.scrollTo({ top: box.scrollHeight * part });
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    }, tenth / 10);
  const after = await size();
  expect(after.height / before.height).toBeCloseTo(1, 2);
  // The end of the wide line is not cut off.
  expect(after.width).toBeGreaterThan(300 * 7);
  expect(after.width / before.width).toBeCloseTo(1, 1);
});

test("switches between the versions of the branch, saves one, and asks about another", async ({ page }) => {
  const { ask, answers, settled, composer } = chat(page);
  for (const colour of ["gold", "orange", "red"]) {
    await ask(`${fenced("svg", drawing(colour))}\n\necho`);
    await settled();
  }
  await answers.nth(1).getByRole("button", { name: "Open" }).click();
  const panel = panelOf(page);
  const image = panel.getByRole("img", { name: "Sun" });
  const shows = async (colour: string) =>
    await expect
      .poll(async () => decodeURIComponent((await image.getAttribute("src")) ?? ""))
      .toContain(`fill="${colour}"`);
  await shows("orange");
  await panel.getByText("Version 2 of 3").waitFor();
  await panel.getByRole("button", { name: "Next version" }).click();
  await shows("red");
  await panel.getByRole("tab", { name: "Changes" }).click();
  await panel.getByRole("deletion").getByText("orange").waitFor();
  await panel.getByRole("insertion").getByText("red").waitFor();
  await panel.getByRole("tab", { name: "Changes" }).press("ArrowRight");
  await panel.getByRole("tab", { name: "Edit" }).press("ArrowRight");
  await shows("red");
  expect(await image.evaluate((it) => (it as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
  await panel.getByRole("slider", { name: "Versions" }).press("Home");
  await shows("gold");
  // The address follows a moving slider at intervals.
  await page.waitForURL(/[?&]v=/);
  await page.reload();
  await shows("gold");

  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    panel.getByRole("button", { name: "Download Sun.svg" }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe("Sun.svg");
  await panel.getByRole("button", { name: "Copy", exact: true }).click();
  await panel.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate(async () => await navigator.clipboard.readText())).toBe(drawing("gold"));
  const full = panel.getByRole("button", { name: "Full screen" });
  const { width } = (await panel.boundingBox())!;
  await full.click();
  await expect.poll(async () => (await panel.boundingBox())?.width).toBe(1280);
  expect(await full.getAttribute("aria-pressed")).toBe("true");
  expect(params(page)["full"]).toBe("1");
  await full.click();
  await expect.poll(async () => (await panel.boundingBox())?.width).toBe(width);
  // An earlier version goes along, so that the model continues from it.
  const goldVersion = `> Sun (SVG)\n\n${fenced("svg", drawing("gold"))}\n\n`;
  const continueFrom = panel.getByRole("button", { name: "Continue from this version" });
  await continueFrom.click();
  expect(await composer.inputValue()).toBe(goldVersion);
  await composer.fill("");
  await panel.getByRole("tab", { name: "Code" }).click();
  await panel.locator("code").evaluate((code) => getSelection()!.selectAllChildren(code));
  await continueFrom.click();
  expect(await composer.inputValue()).toBe(`${goldVersion}> ${drawing("gold")}\n\n`);
  await composer.fill("");
  await panel.getByRole("slider", { name: "Versions" }).press("End");
  await panel.locator("code").evaluate((code) => getSelection()!.selectAllChildren(code));
  await panel.getByRole("button", { name: "Ask about this" }).click();
  expect(await composer.inputValue()).toBe(`> ${drawing("red")}\n\n`);

  // Another branch has only its own versions.
  await composer.fill("");
  await panel.getByRole("button", { name: "Close panel" }).click();
  const edit = chat(page).questions.nth(1).getByRole("button", { name: "Edit" });
  await edit.click();
  const field = chat(page).questions.nth(1).getByRole("textbox");
  await field.fill(`${fenced("svg", drawing("blue"))}\n\necho`);
  await field.press("Enter");
  await answers.nth(1).getByText("blue").waitFor();
  await settled();
  await answers.nth(1).getByRole("button", { name: "Open" }).click();
  await panel.getByText("Version 2 of 2").waitFor();
  await shows("blue");
});

test("opens with the keyboard, is resized and closed with it, and shows code as it is written", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, answers, stopButton } = chat(page);
  // So much that it is still being written at the end, on a slow machine too.
  const code = Array.from({ length: 600 }, (_, i) => `print(${i})`).join("\n");
  await ask(`${fenced("python", code)}\n\ngap=60\necho`);
  const open = answers.first().getByRole("button", { name: "Open" });
  await open.press("Enter");
  const panel = panelOf(page);
  await panel.getByRole("heading", { name: "Python" }).waitFor();
  await expect.poll(async () => await panel.evaluate((it) => it === document.activeElement)).toBe(true);
  const length = async () => (await panel.locator("code").innerText()).length;
  const before = await length();
  await expect.poll(length).toBeGreaterThan(before + 50);
  const handle = panel.getByRole("separator", { name: "Panel width" });
  const { width } = (await panel.boundingBox())!;
  await handle.press("ArrowLeft");
  await expect.poll(async () => (await panel.boundingBox())!.width).toBe(width + 16);
  // Esc closes the panel that has the focus; the answer goes on.
  await handle.press("Escape");
  await panel.waitFor({ state: "detached" });
  expect(await open.evaluate((it) => it === document.activeElement)).toBe(true);
  expect(await stopButton.isVisible()).toBe(true);
});

test("a slow press on a control of an answer is not lost while the answer grows below it", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, answers, stopButton } = chat(page);
  const code = Array.from({ length: 20 }, (_, i) => `print(${i})`).join("\n");
  const paragraphs = "word ".repeat(400);
  await ask(`${fenced('python title="Rows"', code)}\n\n${paragraphs} gap=15\necho`);
  const open = answers.first().getByRole("button", { name: "Open" });
  const top = async () => (await open.boundingBox())!.y;
  await open.waitFor();
  const before = await top();
  // The answer is at its end, and moves up as it grows.
  await expect.poll(top).toBeLessThan(before);
  await open.hover();
  await page.mouse.down();
  await page.waitForTimeout(700);
  await page.mouse.up();
  await panelOf(page).getByRole("heading", { name: "Rows" }).waitFor();
  const pressed = await top();
  await expect.poll(top).toBeLessThan(pressed);
  await stopButton.click();
});
