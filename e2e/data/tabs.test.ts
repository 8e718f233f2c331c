import { expect } from "vitest";
import type { Page } from "playwright-core";
import { chat, eventually, textOf } from "../support/chat.ts";
import { startCountingProxy } from "../support/counting-proxy.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const liveRequests = (requests: readonly string[]) =>
  requests.filter((request) => request.startsWith("GET /v1/live"));

// A browser opens at most six connections to a server with HTTP/1.1.
test("keeps seven tabs live over one connection, which the last one closes", async () => {
  const proxy = await startCountingProxy(environment.server.url);
  const ada = await visit(environment.browser, proxy.url);
  const first = chat(ada.page);
  await first.ask("Begin tokens=3");
  await first.settled();
  const path = new URL(ada.page.url()).pathname;
  const others: Page[] = [];
  for (let i = 0; i < 6; i++) others.push(await ada.tab(path));
  for (const page of others) await chat(page).answers.first().waitFor();
  expect(proxy.openStreams()).toBe(1);

  await first.ask("Tell all of them tokens=40 gap=30");
  for (const page of others) await chat(page).answers.nth(1).waitFor();
  expect(proxy.openStreams()).toBe(1);
  await Promise.all([first.settled(), ...others.map(async (page) => await chat(page).settled())]);
  const said = await textOf(first.answers.nth(1));
  for (const page of others)
    await expect.poll(async () => await textOf(chat(page).answers.nth(1))).toBe(said);

  // The first tab closes, and the others stay live.
  await ada.page.close();
  const [second, third] = others;
  if (second === undefined || third === undefined) throw new Error("no tabs");
  await chat(second).ask("Still there? tokens=3");
  await chat(third).questions.nth(2).waitFor();
  await chat(third).answers.nth(2).waitFor();
  expect(proxy.openStreams()).toBe(1);

  // The last tab closes the connection.
  for (const page of others) await page.close();
  await expect.poll(async () => proxy.openStreams()).toBe(0);
  await ada.end();
  await proxy.close();
});

test.each<[string, string]>([
  ["a leading tab, where there are no shared workers", "delete globalThis.SharedWorker;"],
  [
    "a leading tab, where the worker does not start",
    "globalThis.SharedWorker = class { constructor() { throw new Error('no'); } };",
  ],
])("shares one connection through %s", async (_, script) => {
  const ada = await visit(environment.browser, environment.server.url, {
    prepare: async (context) => await context.addInitScript(script),
  });
  const first = chat(ada.page);
  await first.ask("Begin tokens=3");
  await first.settled();
  const second = chat(await ada.tab(new URL(ada.page.url()).pathname));
  await second.answers.first().waitFor();
  const asked = second.composer.page().waitForRequest((request) => request.url().endsWith("/runs"));
  await second.ask("Tell me something tokens=40 gap=40");
  const { id: run } = (await asked).postDataJSON() as { id: string };
  await expect.poll(async () => (await first.answers.nth(1).innerText()).length).toBeGreaterThan(30);
  await Promise.all([first.settled(), second.settled()]);
  expect(await textOf(first.answers.nth(1))).toBe(await textOf(second.answers.nth(1)));
  // Not reopened: the connection has the events of runs that are started with its id.
  const opened = liveRequests(ada.requests).filter((request) => request.includes(run));
  expect(opened).toEqual([]);

  // The leader closes during the answer; the other tab takes over and misses nothing.
  await second.ask("And more tokens=60 gap=40");
  await expect.poll(async () => (await second.answers.nth(2).innerText()).length).toBeGreaterThan(30);
  await ada.page.close();
  await second.settled();
  const said = await textOf(second.answers.nth(2));
  await second.answers.first().page().reload();
  // The model's name follows when the list of models has loaded.
  await expect.poll(async () => await textOf(second.answers.nth(2))).toBe(said);
});

test("works with one connection per tab if they cannot share one", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    prepare: async (context) =>
      await context.addInitScript(
        "delete globalThis.SharedWorker; Object.defineProperty(navigator, 'locks', { value: undefined });",
      ),
  });
  const first = chat(ada.page);
  await first.ask("Begin tokens=3");
  await first.settled();
  const second = chat(await ada.tab(new URL(ada.page.url()).pathname));
  await second.answers.first().waitFor();
  await second.ask("Tell me tokens=20 gap=30");
  await first.answers.nth(1).waitFor();
  await Promise.all([first.settled(), second.settled()]);
  expect(await textOf(first.answers.nth(1))).toBe(await textOf(second.answers.nth(1)));
});

const says = async (page: Page, words: string) =>
  await expect.poll(async () => await chat(page).composer.inputValue()).toBe(words);

test("shows a draft in every tab, and sends it from one", async ({ ada }) => {
  const first = chat(ada.page);
  await first.ask("Begin tokens=3");
  await first.settled();
  const other = await ada.tab(new URL(ada.page.url()).pathname);
  await chat(other).answers.first().waitFor();
  await first.composer.fill("Half a thought");
  await says(other, "Half a thought");
  await chat(other).composer.press("End");
  await chat(other).composer.pressSequentially(", and its end tokens=3");
  await says(ada.page, "Half a thought, and its end tokens=3");
  await chat(other).composer.press("Enter");
  await first.questions.nth(1).getByText("Half a thought, and its end").waitFor();
  for (const page of [ada.page, other]) {
    await says(page, "");
    await chat(page).settled();
    await page.reload();
    await chat(page).answers.nth(1).waitFor();
    await says(page, "");
  }
});

test("shows in the title and the icon that an answer is complete, until the tab is visible", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { ask } = chat(ada.page);
  const look = async (hidden: boolean) =>
    await ada.page.evaluate((isHidden) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    }, hidden);
  const shown = async () => [
    await ada.page.title(),
    await ada.page.locator("link[rel='icon']").getAttribute("href"),
  ];
  await ask("Take your time tokens=30 gap=50");
  await chat(ada.page).stopButton.waitFor();
  await look(true);
  expect((await shown())[0]).not.toContain("●");
  await eventually(shown, ([title, icon]) => {
    expect(title).toMatch(/^● /);
    expect(icon).toContain("favicon-ready.svg");
  });
  await look(false);
  await eventually(shown, ([title, icon]) => {
    expect(title).not.toContain("●");
    expect(icon).toContain("favicon.svg");
  });
});
