import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

/** Chromium without a screen has neither a microphone nor language packs, so this takes the place of its recognizer. */
async function installRecognizer(context: BrowserContext, availability: string) {
  await context.addInitScript(`(() => {
    window.heard = { started: [], installed: 0 };
    window.SpeechRecognition = window.webkitSpeechRecognition = class extends EventTarget {
      static async available({ processLocally }) { return processLocally ? ${JSON.stringify(availability)} : "available"; }
      static async install() { window.heard.installed += 1; return true; }
      start() {
        window.heard.started.push([this.lang, this.processLocally]);
        window.say = (...pieces) => {
          const results = pieces.map((transcript) => Object.assign([{ transcript }], { isFinal: false }));
          this.dispatchEvent(Object.assign(new Event("result"), { results }));
        };
        window.fail = (error) => {
          this.dispatchEvent(Object.assign(new Event("error"), { error }));
          this.stop();
        };
      }
      stop() { this.dispatchEvent(new Event("end")); }
      abort() { this.stop(); }
    };
  })()`);
}

const say = async (page: Page, ...pieces: string[]) =>
  await page.evaluate((all) => (window as unknown as { say(...texts: string[]): void }).say(...all), pieces);
const heard = async (page: Page) => await page.evaluate(`window.heard`);

test("writes what is said at the cursor, on the device, and stops with Esc or when the message is sent", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    prepare: async (context) => await installRecognizer(context, "downloadable"),
  });
  const { page } = ada;
  const { composer, settled, questions } = chat(page);
  await composer.fill("Dear Ada, goodbye");
  for (let i = 0; i < "goodbye".length; i++) await composer.press("ArrowLeft");
  const start = page.getByRole("button", { name: "Dictate" });
  await start.click();
  await page.getByText("downloading what it needs").waitFor();
  const stop = page.getByRole("button", { name: "Stop dictating" });
  await stop.waitFor();
  expect(await heard(page)).toEqual({ started: [["en-US", true]], installed: 1 });
  const text = async (expected: string) =>
    await expect.poll(async () => await composer.inputValue()).toBe(expected);
  await say(page, "wee");
  await text("Dear Ada, wee goodbye");
  await say(page, "we met", "yesterday");
  await text("Dear Ada, we met yesterday goodbye");
  await composer.press("End");
  await composer.pressSequentially(" then");
  await say(page, "we met", "yesterday", "and again");
  await text("Dear Ada, we met yesterday goodbye then and again");
  await page.keyboard.press("Escape");
  await start.waitFor();
  expect(await stop.count()).toBe(0);

  await start.click();
  await say(page, "tokens=2");
  await expect.poll(async () => await composer.inputValue()).toContain("again tokens=2");
  await composer.press("Enter");
  await start.waitFor();
  await settled();
  expect(await questions.first().innerText()).toContain("and again tokens=2");
  await say(page, "tokens=2", "not heard");
  expect(await composer.inputValue()).toBe("");

  await start.click();
  await stop.waitFor();
  await page.evaluate(`window.fail("not-allowed")`);
  await page.getByText("allow the microphone for this site").waitFor();
  await start.waitFor();
});

test("can be started again when the recognizer does not start, and leaves a chat that the person has left alone", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    prepare: async (context) => await installRecognizer(context, "available"),
  });
  const { page } = ada;
  const { composer } = chat(page);
  await composer.pressSequentially("Still here");
  const start = page.getByRole("button", { name: "Dictate" });
  await page.evaluate(`(() => {
    const { prototype } = window.SpeechRecognition;
    const { start } = prototype;
    prototype.start = () => {
      prototype.start = start;
      throw new DOMException("busy", "InvalidStateError");
    };
  })()`);
  await start.click();
  await page.getByText("Dictation stopped. Try again.").waitFor();
  await start.click();
  const stop = page.getByRole("button", { name: "Stop dictating" });
  await stop.waitFor();
  await page.keyboard.press("Escape");
  await start.waitFor();
  expect(await heard(page)).toMatchObject({ started: [["en-US", true]] });

  // The button goes while the browser is still asked for a recognizer.
  await page.evaluate(`(() => {
    window.SpeechRecognition.available = () => new Promise((resolve) => (window.answer = () => resolve("available")));
  })()`);
  await start.click();
  await page.getByRole("link", { name: "Archive" }).click();
  await page.waitForURL(/\/archive$/);
  await start.waitFor({ state: "detached" });
  await page.evaluate(`window.answer()`);
  await page.goBack();
  await start.waitFor();
  expect(await heard(page)).toMatchObject({ started: [["en-US", true]] });
  expect(await stop.count()).toBe(0);
});

test("says that the browser recognizes no speech on the device, and uses no other recognizer", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    prepare: async (context) => await installRecognizer(context, "unavailable"),
  });
  const { page } = ada;
  await chat(page).composer.press("a");
  const button = page.getByRole("button", { name: "Dictate" });
  await button.click();
  await page.getByText("sends no sound to anyone else").waitFor();
  expect(await button.count()).toBe(0);
  expect(await heard(page)).toEqual({ started: [], installed: 0 });
});
