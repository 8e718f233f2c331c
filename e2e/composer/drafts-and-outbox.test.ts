import { expect } from "vitest";
import { chat, showThreads } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true });
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
  expect((await ada.page.evaluate(async () => await navigator.clipboard.readText())).trim()).toBe(words);
  await copied.waitFor({ state: "detached" });
});
