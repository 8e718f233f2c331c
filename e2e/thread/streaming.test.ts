import { expect } from "vitest";
import { allLoaded } from "../support/all-loaded.ts";
import { chat, textOf } from "../support/chat.ts";
import { startCountingProxy } from "../support/counting-proxy.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { uninterruptedAnswer } from "../support/uninterrupted-answer.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });

/** A deterministic answer of about five seconds. */
const slowQuestion = "Tell me something tokens=100 gap=50";

const fullAnswer = uninterruptedAnswer(environment, slowQuestion);

test("shows the question and a pending answer before the server responds, then the answer as it streams", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { ask, questions, answers, settled } = chat(ada.page);
  const shown = Promise.withResolvers<void>();
  await ada.context.route("**/runs", async (route) => {
    await shown.promise;
    await route.continue();
  });
  await ask(slowQuestion);
  await questions.first().getByText("Tell me something").waitFor();
  await answers.first().getByText("Waiting for an answer").waitFor();
  const id = await answers.first().getAttribute("data-message-id");
  shown.resolve();
  const lengths = new Set<number>();
  await expect
    .poll(async () => lengths.add((await answers.first().innerText()).length).size)
    .toBeGreaterThan(5);
  await settled();
  // The message had its final id from the start.
  await ada.page.reload();
  await answers.first().waitFor();
  expect(await answers.first().getAttribute("data-message-id")).toBe(id);
  expect(await answers.count()).toBe(1);
});

test("shows the first words of an answer without any request after the one that sends the message", async () => {
  // The rows are read at the same time. The words must not wait for them.
  let shown = Promise.withResolvers<void>();
  const isForRows = (request: string) => request.includes("/branch?");
  const proxy = await startCountingProxy(environment.server.url, async (request) => {
    if (isForRows(request)) await shown.promise;
  });
  const ada = await visit(environment.browser, proxy.url, { preloads: true });
  const { ask, answers, settled } = chat(ada.page);
  await allLoaded(ada.page);
  for (const index of [0, 1]) {
    shown = Promise.withResolvers();
    const before = proxy.requests.length;
    await ask("Tell me something tokens=30 gap=30 first=300");
    await answers.nth(index).locator("p", { hasText: /\w \w/ }).first().waitFor();
    const requests = proxy.requests.slice(before).filter((request) => !isForRows(request));
    expect(requests).toEqual([expect.stringMatching(/^POST \S+\/runs$/)]);
    shown.resolve();
    await settled();
  }
  await ada.end();
  await proxy.close();
});

test("continues after a reload during the answer and in a tab that opens then, with the same text", async () => {
  const expected = await fullAnswer();
  const ada = await visit(environment.browser, environment.server.url);
  const first = chat(ada.page);
  await first.ask(slowQuestion);
  await expect.poll(async () => (await first.answers.first().innerText()).length).toBeGreaterThan(40);
  const second = chat(await ada.context.newPage());
  await Promise.all([ada.page.reload(), second.composer.page().goto(ada.page.url())]);
  await Promise.all([first.stopButton.waitFor(), second.stopButton.waitFor()]);
  await Promise.all([first.settled(), second.settled()]);
  expect(await textOf(first.answers.first())).toBe(expected);
  expect(await textOf(second.answers.first())).toBe(expected);
});

test("continues while another thread is open", async ({ ada }) => {
  const { ask, answers, settled, threads } = chat(ada.page);
  await ask(slowQuestion);
  await expect.poll(async () => (await answers.first().innerText()).length).toBeGreaterThan(40);
  await ada.page.getByRole("button", { name: "New chat" }).click();
  await ada.page.waitForURL(`${environment.server.url}/`);
  await threads
    .getByRole("link", { name: /Tell me|answer|:/ })
    .first()
    .click();
  await settled();
  const expected = await fullAnswer();
  expect(await textOf(answers.first())).toBe(expected);
});

test("keeps the text of a stopped answer, even after a reload", async ({ ada }) => {
  const { ask, answers, stopButton, settled, composer } = chat(ada.page);
  await ask("Go on endless gap=30\nendless");
  await expect.poll(async () => (await answers.first().innerText()).length).toBeGreaterThan(60);
  await stopButton.click();
  await settled();
  await answers.first().getByText("You stopped this answer.").waitFor();
  const said = await textOf(answers.first());
  expect(said.length).toBeGreaterThan(60);
  await ada.page.reload();
  await answers.first().getByText("You stopped this answer.").waitFor();
  // The model's name follows when the list of models has loaded.
  await expect.poll(async () => await textOf(answers.first())).toBe(said);
  // The thread continues from there.
  await composer.fill("Now something short tokens=5");
  await composer.press("Enter");
  await answers.nth(1).waitFor();
  await settled();
});

test("keeps the question and the partial answer after a server crash", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { ask, answers, questions, settled } = chat(ada.page);
  await ask("Tell me a long story tokens=400 gap=50");
  await expect.poll(async () => (await answers.first().innerText()).length).toBeGreaterThan(80);
  await environment.server.kill();
  const seen = (await textOf(answers.first())).slice(0, 80);
  await ada.page.getByText("Offline. Messages are saved on this device.").waitFor();
  const lost = answers.first().getByText("Connection lost.");
  await lost.waitFor();
  const caret = await answers
    .first()
    .locator("[data-running] > :last-child")
    .evaluate((element) => getComputedStyle(element, "::after").content);
  expect(caret).toBe("none");
  await environment.server.restart();
  // Automatically, without a reload.
  await lost.waitFor({ state: "detached" });
  await answers.first().getByText("The server stopped during this answer.").waitFor({ timeout: 40_000 });
  await settled();
  expect(await textOf(answers.first())).toContain(seen);
  await ada.page.reload();
  await answers.first().getByText("The server stopped during this answer.").waitFor();
  expect(await textOf(answers.first())).toContain(seen);
  await questions.first().getByText("Tell me a long story").waitFor();
  // It continues in the same message.
  await answers.first().getByRole("button", { name: "Continue" }).click();
  await answers.first().getByText("The server stopped during this answer.").waitFor({ state: "detached" });
  await settled();
  const whole = await textOf(answers.first());
  expect(whole).toContain(seen);
  expect(whole.length).toBeGreaterThan(seen.length);
  expect(await answers.count()).toBe(1);
  await ada.page.reload();
  // The model's name follows when the list of models has loaded.
  await expect.poll(async () => await textOf(answers.first())).toBe(whole);
});

test("shows why the model failed, says only to the owner where to change the key, and answers on a retry", async () => {
  for (const path of ["/", environment.server.ownerLink]) {
    const person = await visit(environment.browser, environment.server.url, { path });
    await person.page.waitForURL(`${environment.server.url}/`);
    const { ask, answers, settled } = chat(person.page);
    await ask(`Fail once for ${path === "/" ? "Ada" : "the owner"} status=401 times=1`);
    await answers.first().getByText("The model provider rejected the API key.").waitFor();
    expect((await answers.first().innerText()).includes("Settings > Models")).toBe(path !== "/");
    await answers.first().getByRole("button", { name: "Try again" }).click();
    await settled();
    await answers.first().getByText("2 / 2").waitFor();
    expect(await answers.first().innerText()).not.toContain("rejected the API key");
    await person.end();
  }
});

test("counts down to the end of a rate limit, even after a reload, and offers one retry", async ({ ada }) => {
  const { ask, answers, settled } = chat(ada.page);
  const retry = answers.first().getByRole("button", { name: /^(Try again|Regenerate$)/ });
  await ask("Too often status=429 retry-after=9 times=1");
  await answers.first().getByText("The model provider’s rate limit was reached.").waitFor();
  expect(await retry.innerText()).toMatch(/^Try again in \d+ seconds?$/);
  expect(await retry.isDisabled()).toBe(true);
  await ada.page.reload();
  await answers
    .first()
    .getByRole("button", { name: /^Try again in/ })
    .waitFor();
  await answers.first().getByRole("button", { name: "Try again", exact: true }).click();
  await settled();
  await answers.first().getByText("2 / 2").waitFor();
});

test("renders math, and wide formulas scroll on a phone", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390, height: 844 });
  const { ask, answers, settled } = chat(ada.page);
  const sum = Array.from({ length: 8 }, (_, n) => `a_{${n}} x^{${n}}`).join(" + ");
  const said = String.raw`So \(a \ne 0\) at $5 or $10, and $f(x) = ${sum}$, and $\nosuchthing{x}$, $\def\a{aa}\a$, $\ref{root}$:`;
  await ask(`${said}\n\n$$\nx = \\frac{-b}{2a}\n$$\n\necho`);
  await settled();
  const answer = answers.last();
  await answer.locator("math[display=block] mfrac").waitFor();
  expect(await answer.locator("math").count()).toBe(3);
  expect(await answer.innerText()).toContain("at $5 or $10, and");
  expect(await answer.locator("code").allInnerTexts()).toEqual([
    String.raw`\nosuchthing{x}`,
    String.raw`\def\a{aa}\a`,
    String.raw`\ref{root}`,
  ]);
  const wide = answer.getByRole("region", { name: "Formula" });
  expect(await wide.count()).toBe(1);
  expect(await ada.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await ada.page.setViewportSize({ width: 1280, height: 844 });
  await wide.waitFor({ state: "detached" });
});
