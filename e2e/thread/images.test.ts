import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { base64, drop, uploaded } from "../support/drop.ts";
import { startEnvironment } from "../support/environment.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

async function pictureOf(name: string, background: string) {
  const size = { width: 2_400, height: 1_600, channels: 3 as const, background };
  return { name, type: "image/png", body: base64(await sharp({ create: size }).png().toBuffer()) };
}

/** Sends two pictures and opens the first one. */
async function openPictures(page: Page) {
  const { answers, composer, settled, sendButton, questions } = chat(page);
  await drop(page, [await pictureOf("lake.png", "#2a7f77"), await pictureOf("dusk.png", "#a05030")]);
  await uploaded(page);
  await composer.fill("What is on these? tokens=3");
  await sendButton.click();
  await answers.first().waitFor();
  await settled();
  const first = questions.first().getByRole("button", { name: "Open the image: lake.png" });
  await first.press("Enter");
  const dialog = page.getByRole("dialog");
  const image = dialog.getByRole("img");
  const width = async () => Math.round((await image.boundingBox())?.width ?? 0);
  const shown = async (name: string) => await dialog.locator(`img[data-shown][alt="${name}"]`).waitFor();
  await shown("lake.png");
  return { first, dialog, image, width, shown };
}

test("enlarges a picture by keys, buttons, wheel and drag, and goes through those of a message", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { first, dialog, image, width, shown } = await openPictures(page);
  const fit = await width();
  expect(fit).toBeLessThan(1_280);
  expect((await image.boundingBox())!.height).toBeLessThan(800);
  await dialog.getByText("Image 1 of 2").waitFor();
  expect(await violations(page)).toEqual([]);

  await page.keyboard.press("+");
  expect(await width()).toBeCloseTo(fit * 1.5, -1);
  const x = async () => (await image.boundingBox())!.x;
  const before = await x();
  await page.keyboard.press("ArrowRight");
  expect(await x()).toBeCloseTo(before - 80, 0);
  await page.keyboard.press("0");
  expect(await width()).toBe(fit);

  // The place under the pointer stays there.
  const partAt = async (at: number) => (at - (await x())) / (await width());
  const part = await partAt(700);
  await page.mouse.move(700, 400);
  await page.mouse.wheel(0, -400);
  await expect.poll(width).toBeGreaterThan(fit * 2);
  expect(await partAt(700)).toBeCloseTo(part, 2);
  const dragged = await x();
  await page.mouse.down();
  await page.mouse.move(650, 400, { steps: 4 });
  await page.mouse.up();
  expect(await x()).toBeCloseTo(dragged - 50, -1);
  await dialog.getByRole("button", { name: "Fit to window" }).click();
  expect(await width()).toBe(fit);
  await image.click();
  expect(await width()).toBe(2_400);
  await image.click();

  await page.keyboard.press("ArrowRight");
  await shown("dusk.png");
  await dialog.getByRole("button", { name: "Next image" }).press("Enter");
  await shown("lake.png");
  await dialog.getByRole("button", { name: "Previous image" }).press("Enter");
  await shown("dusk.png");
  const saved = page.waitForEvent("download");
  await dialog.getByRole("link", { name: "Download dusk.png" }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe("dusk.png");
  expect((await sharp(await readFile(await file.path())).metadata()).width).toBe(2_400);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await first.evaluate((button) => button === document.activeElement)).toBe(true);
});

test("enlarges a picture with two fingers, and goes to the next one by a swipe", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390, hasTouch: true });
  const { page } = ada;
  const { first, image, width, shown, dialog } = await openPictures(page);
  const fit = await width();
  expect(fit).toBeLessThanOrEqual(390);
  await image.tap();
  await expect.poll(width).toBe(2_400);
  await page.keyboard.press("0");
  await page.touchscreen.tap(195, 120);
  await dialog.waitFor({ state: "detached" });
  await first.tap();
  await shown("lake.png");
  const devtools = await ada.context.newCDPSession(page);
  const touch = async (
    type: "touchStart" | "touchMove" | "touchEnd",
    ...touchPoints: { x: number; y: number }[]
  ) => await devtools.send("Input.dispatchTouchEvent", { type, touchPoints });
  await touch("touchStart", { x: 170, y: 400 }, { x: 220, y: 400 });
  await touch("touchMove", { x: 145, y: 400 }, { x: 245, y: 400 });
  await touch("touchEnd");
  await expect.poll(width).toBeCloseTo(fit * 2, -1);
  // Of an enlarged picture, a finger moves the visible part.
  await touch("touchStart", { x: 300, y: 400 });
  await touch("touchMove", { x: 100, y: 400 });
  await touch("touchEnd");
  await dialog.getByText("Image 1 of 2").waitFor();
  await page.keyboard.press("0");
  await touch("touchStart", { x: 300, y: 400 });
  await touch("touchMove", { x: 100, y: 400 });
  await touch("touchEnd");
  await shown("dusk.png");
});

test("says when a picture does not load, and tries again", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { page } = ada;
  let isDown = true;
  await page.route("**/content", async (route) => (isDown ? await route.abort() : await route.continue()));
  const { ask, settled, questions } = chat(page);
  await drop(page, [await pictureOf("lake.png", "#2a7f77")]);
  await uploaded(page);
  await ask("What is on it? tokens=3");
  await settled();
  await questions
    .first()
    .getByRole("button", { name: /^Open the image/ })
    .click();
  const alert = page.getByRole("dialog").getByRole("alert");
  await alert.getByText("Couldn’t load the image").waitFor();
  isDown = false;
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("dialog").locator("img[data-shown]").waitFor();
});
