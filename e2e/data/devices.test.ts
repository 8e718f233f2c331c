import type { Page } from "playwright-core";
import { expect } from "vitest";
import { chat, textOf } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { uninterruptedAnswer } from "../support/uninterrupted-answer.ts";
import { visit, type Visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

/** A deterministic answer of about five seconds. */
const slowQuestion = "Tell me something tokens=100 gap=50";
const fullAnswer = uninterruptedAnswer(environment, slowQuestion);

/** The same person in two separate browsers. */
async function twoDevices(width: number): Promise<[Visit, Visit]> {
  const link = environment.server.ownerLink.replace(environment.server.url, "");
  const open = async () =>
    await visit(environment.browser, environment.server.url, {
      path: link,
      networkErrorsExpected: true,
      width,
    });
  const devices: [Visit, Visit] = [await open(), await open()];
  for (const { page } of devices) await page.waitForURL(`${environment.server.url}/`);
  return devices;
}

async function waitForText(page: Page, characters: number): Promise<void> {
  await expect
    .poll(async () => (await chat(page).answers.first().innerText()).length)
    .toBeGreaterThan(characters);
}

test("streams the same text to a second device, and can be stopped there", async () => {
  const [telephone, desk] = await twoDevices(390);
  await chat(telephone.page).ask("Go on endless gap=30\nendless");
  await waitForText(telephone.page, 40);
  await desk.page.goto(new URL(telephone.page.url()).pathname);
  await waitForText(desk.page, 60);
  await chat(desk.page).stopButton.click();
  for (const { page } of [telephone, desk]) {
    await chat(page).settled();
    await chat(page).answers.first().getByText("You stopped this answer.").waitFor();
  }
  const here = await textOf(chat(telephone.page).answers.first());
  expect(here.length).toBeGreaterThan(60);
  expect(await textOf(chat(desk.page).answers.first())).toBe(here);
});

test("continues after a broken connection without a gap or a repeat, and in a tab that was suspended", async () => {
  const expected = await fullAnswer();
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  await chat(ada.page).ask(slowQuestion);
  await waitForText(ada.page, 40);
  await ada.context.setOffline(true);
  await ada.page.waitForTimeout(1_500);
  await ada.context.setOffline(false);
  await chat(ada.page).settled();
  await expect.poll(async () => await textOf(chat(ada.page).answers.first())).toBe(expected);

  // The same person asks on, and the tab is suspended.
  await chat(ada.page).ask(slowQuestion);
  const second = chat(ada.page).answers.nth(1);
  await expect.poll(async () => (await second.innerText()).length).toBeGreaterThan(40);
  const devtools = await ada.context.newCDPSession(ada.page);
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  await new Promise((resolve) => setTimeout(resolve, 7_000));
  await devtools.send("Page.setWebLifecycleState", { state: "active" });
  await chat(ada.page).settled();
  await expect.poll(async () => await textOf(second)).toBe(expected);
});
