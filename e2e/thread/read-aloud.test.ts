import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

/**
 * Chromium without a screen has no voices, so these take their place. The end of an utterance comes when `finish` is called.
 */
async function installVoices(context: BrowserContext, names: readonly string[]) {
  await context.addInitScript(`(() => {
    const voices = ${JSON.stringify(names)}.map((name) => ({
      name, lang: name.slice(0, 2), localService: !name.includes("online"), default: name.includes("online"), voiceURI: name,
    }));
    let current;
    window.said = [];
    window.finish = () => current?.dispatchEvent(new Event("end"));
    window.SpeechSynthesisUtterance = class extends EventTarget {
      constructor(text) { super(); this.text = text; }
    };
    const speech = Object.assign(new EventTarget(), {
      getVoices: () => voices,
      speak(utterance) { current = utterance; window.said.push([utterance.voice?.name, utterance.text]); },
      cancel() { current = undefined; },
    });
    Object.defineProperty(window, "speechSynthesis", { value: speech });
  })()`);
}

const said = async (page: Page) => await page.evaluate(`window.said`);
const finish = async (page: Page) => await page.evaluate(`window.finish()`);
const marked = async (page: Page) =>
  await page.evaluate(() => [...(CSS.highlights.get("read-aloud") ?? [])].map(String).join());

const answer =
  "# Title\n\nFirst *sentence* here. Second one [1] follows!\n\n```js\nskipped();\n```\n\n- A point\n- نقطة بالعربية";

test("reads an answer sentence by sentence with voices of the device, and marks the place", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    prepare: async (context) => await installVoices(context, ["en online", "en local", "ar local"]),
  });
  const { page } = ada;
  const { ask, answers, settled } = chat(page);
  await ask(`${answer}\n\necho`);
  await settled();
  await answers.first().getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Read aloud" }).click();
  const bar = page.getByRole("group", { name: "Read aloud" });
  await bar.waitFor();
  const expected: [string, string][] = [
    ["en local", "Title"],
    ["en local", "First sentence here."],
    ["en local", "Second one [1] follows!"],
    ["en local", "A point"],
    ["ar local", "نقطة بالعربية"],
  ];
  const heard = async (count: number) =>
    await expect.poll(async () => await said(page)).toEqual(expected.slice(0, count));
  await heard(1);
  await finish(page);
  await heard(2);
  expect(await marked(page)).toBe("First sentence here.");
  await bar.getByRole("button", { name: "Next sentence" }).click();
  await heard(3);
  await bar.getByRole("button", { name: "Pause" }).press("Enter");
  await finish(page);
  expect(await marked(page)).toBe("Second one [1] follows!");
  expected.splice(3, 0, expected[2]!);
  await bar.getByRole("button", { name: "Resume" }).press("Enter");
  await heard(4);
  await finish(page);
  await heard(5);
  await finish(page);
  await heard(6);
  await finish(page);
  await bar.waitFor({ state: "detached" });
  expect(await marked(page)).toBe("");
});

test("follows an answer that is being written, and stops", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    width: 390,
    prepare: async (context) => await installVoices(context, ["en local"]),
  });
  const { page } = ada;
  const { ask, answers, composer, settled } = chat(page);
  await ask("Here it begins. Here it goes on.\n\nThe last words come later gap=400\necho");
  await answers.first().getByRole("button", { name: "Read aloud" }).click();
  const bar = page.getByRole("group", { name: "Read aloud" });
  const texts = async () => ((await said(page)) as [string, string][]).map(([, text]) => text);
  await expect.poll(texts).toEqual(["Here it begins."]);
  const pause = bar.getByRole("button", { name: "Pause" });
  expect(await pause.evaluate((it) => it === document.activeElement)).toBe(true);
  await answers.first().getByText("The last").waitFor();
  await expect.poll(async () => await marked(page)).toBe("Here it begins.");
  expect(await page.getByRole("button", { name: "Stop", exact: true }).isVisible()).toBe(true);
  await finish(page);
  await expect.poll(async () => (await texts()).slice(1)).toEqual(["Here it goes on."]);
  await finish(page);
  await expect.poll(async () => (await texts()).slice(2)).toEqual(["The last words come later"]);
  await bar.getByRole("button", { name: "End reading" }).click();
  await bar.waitFor({ state: "detached" });
  expect(await marked(page)).toBe("");
  await expect.poll(async () => await composer.evaluate((it) => it === document.activeElement)).toBe(true);

  // Another version of the answer ends the reading of this one.
  await settled();
  await answers.first().getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Read aloud" }).click();
  await bar.waitFor();
  await answers.first().getByRole("button", { name: "Regenerate", exact: true }).click();
  await bar.waitFor({ state: "detached" });
  await settled();
  const before = (await texts()).length;
  await answers.first().getByRole("button", { name: "Previous version" }).click();
  await answers.first().getByText("The last words").waitFor();
  expect(await bar.count()).toBe(0);
  expect((await texts()).length).toBe(before);
});

test("does not use a voice that needs a network", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    prepare: async (context) => await installVoices(context, ["en online"]),
  });
  const { page } = ada;
  const { ask, answers, settled } = chat(page);
  await ask("Quiet tokens=3");
  await settled();
  await answers.first().getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Read aloud" }).click();
  await page.getByText("No voice of this device can read aloud.").waitFor();
  expect(await said(page)).toEqual([]);
});
