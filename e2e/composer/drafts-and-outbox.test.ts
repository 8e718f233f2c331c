import { expect, test } from "vitest";
import { chat, showThreads } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });
const isRunStart = (request: string) => /^POST .*\/runs$/.test(request);

test("keeps one draft per thread after a reload, until it is sent", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { composer, ask, settled } = chat(ada.page);
  await ask("Begin tokens=3");
  await settled();
  // The draft is removed when it is sent.
  expect(await composer.inputValue()).toBe("");
  await ada.page.reload();
  await chat(ada.page).answers.first().waitFor();
  expect(await composer.inputValue()).toBe("");
  await composer.fill("half a thought in the thread");
  await showThreads(ada.page);
  await ada.page.getByRole("button", { name: "New chat" }).click();
  await ada.page.waitForURL(`${environment.server.url}/`);
  expect(await composer.inputValue()).toBe("");
  await composer.fill("a new idea");
  await ada.page.reload();
  await expect.poll(async () => await composer.inputValue()).toBe("a new idea");
  await showThreads(ada.page);
  await chat(ada.page).threads.getByRole("listitem").getByRole("link").first().click();
  await expect.poll(async () => await composer.inputValue()).toBe("half a thought in the thread");
  await ada.end();
});

test("keeps a message that could not be sent, and sends it again on request or after a reload", async () => {
  const ada = await visit(environment.browser, environment.server.url, {
    networkErrorsExpected: true,
    width: 390,
  });
  const { ask, questions, answers, settled } = chat(ada.page);
  await ada.context.route("**/runs", async (route) => await route.abort("connectionrefused"));
  await ask("Do not lose me tokens=3");
  await questions.first().getByText("Do not lose me").waitFor();
  const again = questions.first().getByRole("button", { name: "Send again" });
  await again.waitFor();
  await questions.first().getByText("Can’t reach the server.").waitFor();
  expect(await answers.count()).toBe(0);
  await ada.context.unroute("**/runs");
  await again.click();
  await answers.first().waitFor();
  await settled();
  expect(await questions.count()).toBe(1);
  await ada.page.reload();
  await answers.first().waitFor();
  expect(await questions.count()).toBe(1);

  await ada.context.route("**/runs", async (route) => await route.abort("connectionrefused"));
  await ask("Outlive a reload tokens=3");
  await questions.nth(1).getByRole("button", { name: "Send again" }).waitFor();
  await ada.context.unroute("**/runs");
  await ada.page.reload();
  await questions.nth(1).getByText("Outlive a reload").waitFor();
  await answers.nth(1).waitFor();
  await settled();
  await showThreads(ada.page);
  await chat(ada.page).threads.getByRole("listitem").first().waitFor();
  expect(await questions.count()).toBe(2);
  await ada.end();
});

test("sends messages written offline automatically", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { ask, questions, answers, settled } = chat(ada.page);
  await ask("Before tokens=3");
  await settled();
  await environment.server.kill();
  await ada.page.getByText("Offline. Messages are saved on this device.").waitFor();
  await ask("Meanwhile tokens=3");
  await questions.nth(1).getByRole("button", { name: "Send again" }).waitFor();
  await environment.server.restart();
  // 5 s is the longest pause between two attempts to connect.
  await answers.nth(1).waitFor({ timeout: 8_000 });
  await settled();
  expect(await questions.count()).toBe(2);
  await ada.page.getByText("Offline. Messages are saved on this device.").waitFor({ state: "detached" });

  // Without a network: at once when it is back.
  await ada.context.setOffline(true);
  await ask("Once more tokens=3");
  await questions.nth(2).getByRole("button", { name: "Send again" }).waitFor();
  await ada.context.setOffline(false);
  await answers.nth(2).waitFor({ timeout: 4_000 });
  await ada.end();
});

test("lists a chat that was started offline until it is sent", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { ask, questions, answers, threads } = chat(ada.page);
  await ada.page.getByText("Your chats will appear here.").waitFor();
  await ada.context.setOffline(true);
  await ask("Far from the city tokens=3");
  await questions.getByRole("button", { name: "Send again" }).waitFor();
  await ada.page.getByRole("link", { name: "Files" }).click();
  await questions.waitFor({ state: "detached" });
  await ada.page.getByRole("region", { name: "Not sent yet" }).getByRole("link").click();
  await questions.getByText("Far from the city").waitFor();
  await ada.context.setOffline(false);
  await answers.first().waitFor();
  await ada.page.getByRole("region", { name: "Not sent yet" }).waitFor({ state: "detached" });
  await threads.locator("[data-row]").waitFor();
  await ada.end();
});

test("sends one message for a double click, and for a request that is retried after a lost response", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { composer, ask, sendButton, questions, answers, settled } = chat(ada.page);
  await composer.fill("Only once tokens=3");
  await sendButton.dblclick();
  await answers.first().waitFor();
  await settled();
  expect(await questions.count()).toBe(1);
  expect(ada.requests.filter(isRunStart)).toHaveLength(1);
  await ada.page.reload();
  await answers.first().waitFor();
  expect(await questions.count()).toBe(1);

  let lost = false;
  await ada.context.route("**/runs", async (route) => {
    if (lost) return await route.continue();
    lost = true;
    await route.fetch();
    return await route.abort("connectionreset");
  });
  const retried = ada.page.waitForResponse((response) => response.url().endsWith("/runs"));
  await ask("Stored although nobody heard tokens=3");
  await answers.nth(1).waitFor();
  await settled();
  await retried;
  await ada.page.reload();
  await answers.nth(1).waitFor();
  expect(await questions.count()).toBe(2);
  expect(await answers.count()).toBe(2);
  expect(ada.requests.filter(isRunStart)).toHaveLength(3);
  await ada.end();
});

test("renews a lost session and keeps the typed text", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { ask, composer, questions, answers, settled } = chat(ada.page);
  await composer.fill("Typed before the session was lost tokens=3");
  await ada.context.clearCookies();
  await composer.press("Enter");
  await questions.first().getByText("Typed before the session was lost").waitFor();
  await answers.first().waitFor();
  await settled();
  await ask("And it goes on tokens=3");
  await answers.nth(1).waitFor();
  await settled();
  expect(await questions.count()).toBe(2);
  await ada.end();
});

test("copies an answer and confirms it", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390 });
  const { ask, answers, settled } = chat(ada.page);
  await ask("Copy this tokens=5");
  await settled();
  const words = (await answers.first().getByRole("paragraph").first().innerText()).trim();
  await answers.first().getByRole("button", { name: "Copy" }).click();
  const copied = answers.first().getByRole("button", { name: "Copied" });
  await copied.waitFor();
  const shownAt = performance.now();
  expect((await ada.page.evaluate(async () => await navigator.clipboard.readText())).trim()).toBe(words);
  // For 3,000 ms.
  await ada.page.waitForTimeout(2_500 - (performance.now() - shownAt));
  expect(await copied.count()).toBe(1);
  await copied.waitFor({ state: "detached", timeout: 2_500 });
  await ada.end();
});
