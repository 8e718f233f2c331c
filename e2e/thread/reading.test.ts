import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

/** An answer with code, a table and footnotes, longer than the screen. `echo` makes the model repeat it. */
const richAnswer = `Here is some code:

\`\`\`python
def hello(name):
    print(f"Hello {name}, this line is long enough that it has to scroll sideways in its own box, and on it goes")
    return name
\`\`\`

${"A paragraph of an answer that fills the screen.\n\n".repeat(14)}
| Name | Kind |
|---|---|
| one | two |

The very last line.`;

test("clips no code block and no Copy button, and keeps the text and the actions in place", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { ask, answers, log, settled } = chat(ada.page);
  await ask(`${richAnswer}\n\necho`);
  await settled();
  // Something above grows between a turn of the wheel and its scroll.
  await expectAtEnd(ada.page);
  const top = async () => (await answers.last().boundingBox())!.y;
  const before = await top();
  await log.evaluate(async (messages) => {
    messages.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, bubbles: true }));
    messages.querySelector("article")!.style.paddingBlockEnd = "400px";
    for (let frame = 0; frame < 3; frame++) await new Promise((painted) => requestAnimationFrame(painted));
  });
  expect(Math.abs((await top()) - before)).toBeLessThan(2);

  // Copying an answer moves no other action.
  const other = answers.first().getByRole("button", { name: "Regenerate", exact: true });
  const x = (await other.boundingBox())!.x;
  await answers.first().getByRole("button", { name: "Copy", exact: true }).last().click();
  await answers.first().getByRole("button", { name: "Copied" }).waitFor();
  expect((await other.boundingBox())!.x).toBe(x);

  const answer = answers.first();
  const block = answer.locator("figure").first();
  for (const width of [1280, 390]) {
    await ada.page.setViewportSize({ width, height: 800 });
    await block.scrollIntoViewIfNeeded();
    // The pointer does not hit clipped elements.
    const hits = await block.evaluate((figure) => {
      const { left, right, top } = figure.getBoundingClientRect();
      const isHit = (x: number) => figure.contains(document.elementFromPoint(x, top + 20));
      return { left: isHit(left + 2), right: isHit(right - 2), page: document.documentElement.scrollWidth };
    });
    expect(hits).toEqual({ left: true, right: true, page: width });
    const copy = (await block.getByRole("button", { name: "Copy" }).boundingBox())!;
    const edge = (await block.boundingBox())!;
    expect(copy.x + copy.width).toBeLessThanOrEqual(edge.x + edge.width);
  }
});

test("folds long code once it is complete, opens it where the browser scrolls, and keeps its header in view", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, answers, settled } = chat(page);
  const lines = Array.from({ length: 120 }, (_, i) => `const line${i + 1} = ${i + 1};`);
  await ask(`**src/numbers.js**\n\n\`\`\`js\n${lines.join("\n")}\n\`\`\`\n\nThe end.\n\ngap=2\necho`);
  await settled();
  // It was written before the reader's eyes, so it does not move.
  const less = answers.first().getByRole("button", { name: "Show less" });
  const block = answers.first().locator("figure");
  const height = async () => (await block.boundingBox())!.height;
  await less.waitFor();
  const full = await height();
  await page.reload();
  const all = answers.first().getByRole("button", { name: "Show all 120 lines" });
  await all.waitFor();
  expect(await height()).toBeLessThan(full / 3);
  await page.emulateMedia({ media: "print" });
  expect(await height()).toBeGreaterThan(full / 2);
  await page.emulateMedia({ media: "screen" });

  // As the browser does for what it finds.
  await block.locator("pre").evaluate((code) => (code.scrollTop = 600));
  await less.waitFor();
  expect(await height()).toBe(full);
  await page.mouse.move(600, 300);
  await page.mouse.wheel(0, 300);
  const bar = block.locator("figcaption");
  await expect
    .poll(async () => [(await block.boundingBox())!.y < 0, (await bar.boundingBox())!.y >= 0])
    .toEqual([true, true]);
  const saved = page.waitForEvent("download");
  await bar.getByRole("button", { name: "Download code" }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe("numbers.js");
  expect(await readFile(await file.path(), "utf8")).toBe(lines.join("\n"));
  await less.press("Enter");
  await all.waitFor();
  expect((await block.boundingBox())!.y).toBeGreaterThanOrEqual(0);
});

test("shows that a wide table continues, opens it in full width, and copies it as CSV", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390 });
  const { ask, answers, settled } = chat(ada.page);
  const names = Array.from({ length: 9 }, (_, i) => `Column ${i + 1}`);
  const row = (cells: string[]) => `| ${cells.join(" | ")} |`;
  const cells = names.map((_, i) => (i === 1 ? 'two, "2"' : `a b c ${i + 1}`));
  await ask(`${[row(names), row(names.map(() => "---")), row(cells)].join("\n")}\n\necho`);
  await settled();
  const figure = answers.first().locator("figure");
  await figure.locator("[data-more-right]").waitFor();
  expect(await figure.locator("[data-more-left]").count()).toBe(0);
  await figure.getByRole("region", { name: "Table" }).evaluate((box) => box.scrollTo({ left: 10_000 }));
  await figure.locator("[data-more-left]:not([data-more-right])").waitFor();
  const cell = (await figure.getByRole("cell", { name: "a b c 9" }).boundingBox())!;
  expect(cell.height).toBeLessThan(50);
  // The page has nothing else to scroll to.
  const page = ada.page.locator("html");
  expect(await page.evaluate((html) => html.scrollHeight - html.clientHeight)).toBe(0);

  await figure.getByRole("button", { name: "Copy as CSV" }).click();
  await figure.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await ada.page.evaluate(() => navigator.clipboard.readText());
  expect(copied.split("\r\n")).toEqual([
    names.join(","),
    cells.map((text) => (text.includes('"') ? '"two, ""2"""' : text)).join(","),
    "",
  ]);
  await figure.getByRole("button", { name: "Expand table" }).click();
  await ada.page.getByRole("dialog", { name: "Table" }).getByRole("cell", { name: "a b c 9" }).waitFor();
  await ada.page.keyboard.press("Escape");
  await ada.page.getByRole("dialog").waitFor({ state: "detached" });
});

test("sorts a table by numbers and texts, and copies and saves it in that order", async ({ page }) => {
  const { ask, answers, settled } = chat(page);
  await ask(
    "| Place | People |\n|---|---:|\n| **Oslo** | 1,200 |\n| Bergen | 90 |\n| =A1\\|B | 300 |\n\nThe end.\n\necho",
  );
  await settled();
  const figure = answers.first().locator("figure");
  const places = async () => await figure.locator("tbody td:first-child").allInnerTexts();
  const people = figure.getByRole("button", { name: "Sort by People" });
  await people.press("Enter");
  expect(await places()).toEqual(["Bergen", "=A1|B", "Oslo"]);
  await people.press("Enter");
  expect(await places()).toEqual(["Oslo", "=A1|B", "Bergen"]);
  expect(await figure.getByRole("columnheader").nth(1).getAttribute("aria-sort")).toBe("descending");
  await figure.getByRole("button", { name: "Copy as Markdown" }).click();
  await figure.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    "| Place | People |\n| --- | --: |\n| **Oslo** | 1,200 |\n| =A1\\|B | 300 |\n| Bergen | 90 |\n",
  );
  const saved = page.waitForEvent("download");
  await figure.getByRole("button", { name: "Download table.csv" }).click();
  expect(await readFile(await (await saved).path(), "utf8")).toBe(
    'Place,People\r\nOslo,"1,200"\r\n=A1|B,300\r\nBergen,90\r\n',
  );
  await people.click();
  expect(await places()).toEqual(["Oslo", "Bergen", "=A1|B"]);
});

test("follows an answer to its end, after a key press and a click, until the reader scrolls up", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { ask, answers, composer, settled } = chat(ada.page);
  await ask(`${richAnswer}\n\ngap=5\necho`);
  await answers.first().getByText("Here is some code").waitFor();
  await composer.press("a");
  // By the mouse alone: `click` of a locator scrolls the view when the answer grows under it.
  await ada.page.mouse.click(640, 300);
  await settled();
  await answers.first().getByRole("button", { name: "Copy", exact: true }).last().waitFor();
  await expectAtEnd(ada.page);
  // A growing composer covers nothing.
  await composer.fill("one\ntwo\nthree\nfour\nfive");
  await expectAtEnd(ada.page);

  await ada.page.mouse.move(600, 300);
  await ada.page.mouse.wheel(0, -400);
  await ada.page.getByRole("button", { name: /latest/i }).waitFor();
  const before = await endDistance(ada.page);
  await composer.fill("one");
  await expect.poll(async () => Math.abs((await endDistance(ada.page)) - before)).toBeLessThan(120);
  await ada.page.getByRole("button", { name: /latest/i }).click();
  await expectAtEnd(ada.page);
});

test("counts new lines in the lines of the text size", async ({ ada }) => {
  const size = "larger";
  await ada.page.evaluate((value) => localStorage.setItem("parlance.textSize", value), `"${size}"`);
  await ada.page.reload();
  expect(await ada.page.locator("html").getAttribute("data-text-size")).toBe(size);
  const { ask, answers, settled, stopButton } = chat(ada.page);
  await ask("Tell me of rivers\n\nendless gap=10");
  await expect.poll(async () => (await answers.first().innerText()).length).toBeGreaterThan(3000);
  await ada.page.mouse.move(600, 300);
  await ada.page.mouse.wheel(0, -400);
  const button = ada.page.getByRole("button", { name: /Jump to latest/ });
  await button.waitFor();
  // In one step, because the answer grows meanwhile.
  const measure = async () =>
    await button.evaluate((element) => {
      const box = document.querySelector("[role=log]")!.parentElement!.parentElement!;
      const paragraph = document.querySelector("article p")!;
      const lineHeight = Number.parseFloat(getComputedStyle(paragraph).lineHeight);
      return { height: box.scrollHeight, lineHeight, counted: Number.parseInt(element.textContent) || 0 };
    });
  const before = await measure();
  await eventually(measure, ({ height, lineHeight, counted }) => {
    const lines = (height - before.height) / lineHeight;
    expect(lines).toBeGreaterThan(15);
    expect(Math.abs(counted - before.counted - lines)).toBeLessThan(2);
  });
  await stopButton.click();
  await settled();
});

test("stays at the end after Stop and after Continue", async ({ ada }) => {
  const { ask, answers, stopButton, settled } = chat(ada.page);
  await ask(`Go on\n\nendless gap=2`);
  await expect.poll(async () => (await answers.first().innerText()).length).toBeGreaterThan(4000);
  await stopButton.click();
  await settled();
  await answers.first().getByText("You stopped this answer.").waitFor();
  await expectAtEnd(ada.page);
  await answers.first().getByRole("button", { name: "Continue" }).click();
  await answers.first().getByText("This is the fixture's answer").waitFor();
  await settled();
  await expectAtEnd(ada.page);
});

test("stays at the end while it is rated and after thoughts were read, on a phone", async () => {
  const width = 390;
  const ada = await visit(environment.browser, environment.server.url, { width, height: 640 });
  const { ask, answers, settled } = chat(ada.page);
  await ask("Tell me of rivers tokens=300");
  await answers.first().waitFor();
  await settled();
  await ask("And of their sources\n\nthink=80 tokens=10 sources");
  const answer = answers.nth(1);
  await answer.getByRole("list", { name: "Sources" }).waitFor();
  await settled();
  await expectAtEnd(ada.page);

  const bad = answer.getByRole("button", { name: "Bad answer" });
  const form = answer.getByRole("form", { name: "What’s wrong with this answer?" });
  for (let times = 0; times < 2; times++) {
    await bad.click();
    await form.waitFor();
    await expectAtEnd(ada.page);
    await ada.page.keyboard.press("Escape");
    await form.waitFor({ state: "detached" });
    await expectAtEnd(ada.page);
  }

  // Content that is expanded above the end moves the end away. Once it is closed, the view follows the end again.
  const latest = ada.page.getByRole("button", { name: /^Jump to latest/ });
  const thoughts = answer.getByRole("button", { name: /^Though/ });
  await thoughts.click();
  await latest.waitFor();
  await thoughts.click();
  await latest.waitFor({ state: "detached" });
  await ada.page.setViewportSize({ width, height: 420 });
  await expectAtEnd(ada.page);
});

/** The hidden height below the view, in CSS pixels. */
async function endDistance(page: Page): Promise<number> {
  return await page.getByRole("log").evaluate((log) => {
    let box: HTMLElement = log as HTMLElement;
    while (getComputedStyle(box).overflowY !== "auto") box = box.parentElement!;
    return box.scrollHeight - box.clientHeight - box.scrollTop;
  });
}

async function expectAtEnd(page: Page): Promise<void> {
  await expect.poll(async () => await endDistance(page)).toBeLessThan(2);
}
