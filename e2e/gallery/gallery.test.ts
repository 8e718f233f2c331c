import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "vitest";
import type { Page } from "playwright-core";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { storeThread } from "../support/store-thread.ts";
import { visit } from "../support/visit.ts";
import { compareImage } from "./compare.ts";
import { artifactKinds, artifacts, parts } from "./content.ts";

const environment = startEnvironment();

const looks = [
  { width: 1280, dark: false },
  { width: 1280, dark: true },
  { width: 390, dark: false },
  { width: 390, dark: true },
];

/** Compares the page, or one element of it, once nothing on it changes any more. */
async function compare(page: Page, name: string, selector: string): Promise<void> {
  await page.evaluate(async () => await document.fonts.ready);
  await page.mouse.move(0, 0);
  const screenshot = await page
    .locator(selector)
    .first()
    .screenshot({ animations: "disabled", caret: "hide" });
  await compareImage(name, screenshot, environment.browser.version());
}

async function expectNoObstacles(page: Page, selector = "main"): Promise<void> {
  // The documents in the closed frames are of others.
  const axe = new AxeBuilder({ page }).include(selector).exclude("iframe");
  // It does not know that the keyboard scrolls the editor by the text in it.
  const { violations } = await axe.disableRules("scrollable-region-focusable").analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
}

test.each(looks)("shows parts of every kind in every state: $width px, dark: $dark", async (look) => {
  const { width, dark } = look;
  const ada = await visit(environment.browser, environment.server.url, {
    ...look,
    height: width === 390 ? 2_500 : 2_100,
  });
  const { page } = ada;
  await chat(page).composer.waitFor();
  await page.goto(await storeThread(page, parts, { title: "Parts" }));
  await page.getByText("Looms").first().waitFor();
  await page.getByText("const shelf0").waitFor();
  await page.locator("math").first().waitFor();
  await page.getByRole("slider", { name: "Position" }).waitFor();
  await page.waitForTimeout(1_000);
  await compare(page, `parts-${width}${dark ? "-dark" : ""}`, "main");
  if (width === 390) await expectNoObstacles(page);
  await page
    .getByRole("button", { name: /^Source 1/ })
    .first()
    .click();
  await page.getByRole("region", { name: "Panel" }).getByRole("heading", { name: "Looms" }).waitFor();
  await page.waitForTimeout(500);
  await compare(page, `source-${width}${dark ? "-dark" : ""}`, "[aria-label=Panel]");
  await expectNoObstacles(page, "[aria-label=Panel]");
  await ada.end();
});

test.each(looks)(
  "shows answers that failed, were stopped, and are written: $width px, dark: $dark",
  async (look) => {
    const { width, dark } = look;
    const ada = await visit(environment.browser, environment.server.url, {
      ...look,
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
    await page.waitForTimeout(1_500);
    await compare(page, `answers-${width}${dark ? "-dark" : ""}`, "main");
    await ada.end();
  },
);

test.each(looks)(
  "shows artifacts of every kind: $width px, dark: $dark",
  { timeout: 120_000 },
  async (look) => {
    const { width, dark } = look;
    const ada = await visit(environment.browser, environment.server.url, { ...look, height: 500 });
    const { page } = ada;
    await chat(page).composer.waitFor();
    const thread = await storeThread(page, artifacts, { title: "Artifacts" });
    const panel = page.getByRole("region", { name: "Panel" });
    await page.goto(thread);
    await page.getByRole("button", { name: "Open", exact: true }).first().waitFor();
    for (const { name, key, ready, view, press } of artifactKinds) {
      await page.evaluate(
        (address) => history.pushState({}, "", address),
        `${thread}?panel=${encodeURIComponent(key)}${view === undefined ? "" : `&view=${view}`}`,
      );
      if (press !== undefined) await panel.getByRole("button", { name: press }).click();
      await panel.locator(ready).first().waitFor();
      await page.waitForTimeout(500);
      await compare(page, `artifact-${name}-${width}${dark ? "-dark" : ""}`, "[aria-label=Panel]");
      // Thousands of lines take long, and are like twenty.
      if (width === 1280 && name !== "huge") await expectNoObstacles(page, "[aria-label=Panel]");
    }
    // The error of the program is one of the browser too.
    await ada.context.close();
  },
);
