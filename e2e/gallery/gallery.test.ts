import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { document as pdfOf, line } from "#fixtures/pdf/write.ts";
import { chat } from "../support/chat.ts";
import { base64, drop, fiveFiles, uploaded } from "../support/drop.ts";
import { startEnvironment } from "../support/environment.ts";
import { moveTo } from "../support/move-to.ts";
import { storeThread } from "../support/store-thread.ts";
import { axeViolations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";
import { compareImage, reasonNotToCompare } from "./compare.ts";
import { answerParts, artifactKinds, artifacts, hugeArtifact, hugeThread, parts } from "./content.ts";

const environment = startEnvironment();

const widths = [1280, 390];

/** The page is checked in the last one: each width and each theme once. */
const themesOf = (width: number) =>
  width === 390 ? (["light", "dark"] as const) : (["dark", "light"] as const);

type Theme = ReturnType<typeof themesOf>[number];

/** Waits until the page, or one element of it, looks as in the stored image of the theme that it has. */
async function compareTheme(page: Page, name: string, selector: string, theme: Theme): Promise<void> {
  await page.evaluate(async () => await document.fonts.ready);
  await page.mouse.move(0, 0);
  const element = page.locator(selector).first();
  const takeScreenshot = async () => await element.screenshot({ animations: "disabled", caret: "hide" });
  const image = `${name}-${page.viewportSize()!.width}${theme === "dark" ? "-dark" : ""}`;
  await compareImage(image, takeScreenshot, environment.browser.version());
}

/** Compares the page in both themes. */
async function compare(page: Page, name: string, selector: string): Promise<void> {
  for (const theme of themesOf(page.viewportSize()!.width)) {
    await page.emulateMedia({ colorScheme: theme });
    await compareTheme(page, name, selector, theme);
  }
}

async function expectNoObstacles(page: Page, selector: string): Promise<void> {
  // The documents in the sandboxed frames are of others.
  const violations = await axeViolations(page, { within: selector, without: "iframe" });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
}

async function compareAndCheck(page: Page, name: string, selector: string): Promise<void> {
  await compare(page, name, selector);
  await expectNoObstacles(page, selector);
}

test("has images of this Chromium on this system", ({ skip }) => {
  const reason = reasonNotToCompare(environment.browser.version());
  if (reason === undefined) return;
  // Also where only failed tests are listed. A warning would fail the test.
  console.info(reason);
  skip(reason);
});

test.each(widths)("shows parts of every kind in every state: %i px", async (width) => {
  const ada = await visit(environment.browser, environment.server.url, {
    width,
    height: width === 390 ? 2_500 : 2_100,
  });
  const { page } = ada;
  await chat(page).composer.waitFor();
  await moveTo(page, await storeThread(page, parts, { title: "Parts" }));
  await page.getByText("Looms").first().waitFor();
  await page.getByText("const shelf0").waitFor();
  await page.locator("math").first().waitFor();
  await page.getByRole("slider", { name: "Position" }).waitFor();
  await compareAndCheck(page, "parts", "main");
  await page
    .getByRole("button", { name: /^Source 1/ })
    .first()
    .click();
  await page.getByRole("region", { name: "Panel" }).getByRole("heading", { name: "Looms" }).waitFor();
  await compareAndCheck(page, "source", "[aria-label=Panel]");
});

test.each(widths)("shows answers that failed, were stopped, and are written: %i px", async (width) => {
  const ada = await visit(environment.browser, environment.server.url, {
    width,
    height: width === 390 ? 1_900 : 1_500,
  });
  const { page } = ada;
  const { ask, answers, settled, stopButton } = chat(page);
  await ask("Fail. tokens=9 die=6");
  await answers
    .first()
    .getByRole("button", { name: "Try again" })
    .or(answers.first().getByRole("button", { name: "Continue" }))
    .first()
    .waitFor();
  await ask("Stop here. tokens=9 stall=6");
  await answers
    .nth(1)
    .getByText(/\w+ \w+ \w+/)
    .first()
    .waitFor();
  await page.waitForTimeout(500);
  await stopButton.click();
  await settled();
  const content = `<title>Clock</title>\n${"<p>Tick.</p>\n".repeat(20)}`;
  const args = JSON.stringify({ action: "create", title: "Clock", language: "html", content });
  // It stalls in the middle of the call.
  await ask(`Make a clock. tool=artifact(${args}) pieces=40 stall=30`);
  await answers.last().getByText("Tick.").first().waitFor();
  await compare(page, "answers", "main");
});

test.each(widths)(
  "shows a diagram and a failed picture in an answer, and a panel that loads: %i px",
  async (width) => {
    const ada = await visit(environment.browser, environment.server.url, { width, height: 900 });
    const { page } = ada;
    await chat(page).composer.waitFor();
    const thread = await storeThread(page, answerParts, { title: "Steps" });
    await moveTo(page, thread);
    await page.locator("[data-drawn]").waitFor();
    await compareAndCheck(page, "answer-parts", "main");
    const isLoaded = Promise.withResolvers<void>();
    await page.route("**/branch?*", async (route) => {
      await isLoaded.promise;
      await route.continue();
    });
    await page.goto(`${thread}?panel=${encodeURIComponent("csv:Prices")}`);
    const panel = page.getByRole("region", { name: "Panel" });
    await panel.getByRole("status").waitFor();
    await compareAndCheck(page, "panel-loading", "[aria-label=Panel]");
    isLoaded.resolve();
    await panel.getByText("loom").waitFor();
  },
);

// One theme for each width: frames that run are slow to change theirs.
test.each([
  { width: 1280, theme: "light" },
  { width: 390, theme: "dark" },
] as const)(
  "shows artifacts of every kind: $width px, $theme",
  { timeout: 120_000 },
  async ({ width, theme }) => {
    const dark = theme === "dark";
    const ada = await visit(environment.browser, environment.server.url, { width, height: 500, dark });
    const { page } = ada;
    await chat(page).composer.waitFor();
    const thread = await storeThread(page, artifacts, { title: "Artifacts" });
    const panel = page.getByRole("region", { name: "Panel" });
    await moveTo(page, thread);
    await page.getByRole("button", { name: "Open", exact: true }).first().waitFor();
    for (const { name, key, ready, view, press, inFrame } of artifactKinds) {
      await moveTo(
        page,
        `${thread}?panel=${encodeURIComponent(key)}${view === undefined ? "" : `&view=${view}`}`,
      );
      if (press !== undefined) await panel.getByRole("button", { name: press }).click();
      await panel.locator(ready).first().waitFor();
      if (inFrame !== undefined)
        await panel.frameLocator("iframe").getByText(inFrame, { exact: true }).waitFor();
      await compareArtifact(page, name, theme);
    }
    await panel.getByRole("button", { name: "Close panel" }).click();
    await compareConflict(page, `${thread}?panel=markdown%3ANotes&view=edit`, theme);
    const hugePath = await storeThread(page, hugeThread);
    await moveTo(page, `${hugePath}?panel=${encodeURIComponent(hugeArtifact.key)}`);
    await panel.locator(hugeArtifact.ready).first().waitFor();
    await compareTheme(page, "artifact-huge", "[aria-label=Panel]", theme);
    // The error of the program is one of the browser too.
    await ada.context.close();
  },
);

async function compareArtifact(page: Page, name: string, theme: Theme) {
  await compareTheme(page, `artifact-${name}`, "[aria-label=Panel]", theme);
  await expectNoObstacles(page, "[aria-label=Panel]");
}

/** Compares the editor when there is a newer version than the one that the person began with. */
async function compareConflict(page: Page, address: string, theme: Theme) {
  const panel = page.getByRole("region", { name: "Panel" });
  await moveTo(page, address);
  await panel.locator(".cm-content").click();
  await page.keyboard.type("Mine. ");
  await panel.getByRole("button", { name: "Discard" }).waitFor();
  await page.waitForTimeout(500);
  await page.evaluate(() => {
    for (const [key, draft] of Object.entries(localStorage))
      if (key.includes("Notes"))
        localStorage.setItem(key, JSON.stringify({ ...(JSON.parse(draft) as object), base: "" }));
  });
  await page.goto(address);
  await panel.getByText("There is a newer version").waitFor();
  await panel.locator(".cm-content").waitFor();
  await compareArtifact(page, "conflict", theme);
}

test("shows files of the chat in the panel", { timeout: 120_000 }, async () => {
  const ada = await visit(environment.browser, environment.server.url, { height: 600 });
  const { page } = ada;
  const { ask, settled } = chat(page);
  const [picture, , text] = await fiveFiles();
  const pdf = pdfOf([{ content: line("The weaving room") }, { content: line("Two windows") }]);
  await drop(page, [picture!, text!, { name: "plan.pdf", type: "application/pdf", body: base64(pdf) }]);
  await uploaded(page);
  await ask("What is in these? tokens=3");
  await settled();
  const panel = page.getByRole("region", { name: "Panel" });
  const thread = new URL(page.url()).pathname;
  const files = await storedFiles(page);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 600 });
    for (const { id, name } of files) {
      await moveTo(page, `${thread}?panel=file%3A${id}`);
      if (name.endsWith("txt")) await panel.getByText("Water the roses").waitFor();
      else await panel.locator("img").first().waitFor();
      await compareAndCheck(page, `file-${name.split(".")[1]}`, "[aria-label=Panel]");
    }
  }
});

async function storedFiles(page: Page): Promise<{ id: string; name: string }[]> {
  return await page.evaluate(async () => {
    const answer = await fetch("/v1/files", { headers: { "Parlance-Client": "web" } });
    return ((await answer.json()) as { files: { id: string; name: string }[] }).files;
  });
}
