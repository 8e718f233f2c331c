import { expect } from "vitest";
import { chat } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ program: "tests/support/servers/main-with-tools.ts" });
const letter = 'Write to Ann. tool=send_letter({"to":"Ann","words":"Dear Ann, thank you."})';
const question = 'Paint. tool=ask_person({"question":"Which colour?","choices":["red","blue"]})';

const cardIn = (page: Parameters<typeof chat>[0]) =>
  chat(page).log.getByRole("region", { name: "Allow Parlance to use send_letter?" });

test("asks for approval with the arguments, and runs the tool only when allowed", async ({ ada }) => {
  const { ask, answers, settled } = chat(ada.page);
  await ask(letter);
  const card = cardIn(ada.page);
  await card.getByText("Dear Ann, thank you.").waitFor();
  expect(await violations(ada.page)).toEqual([]);
  await chat(ada.page).threads.getByText("needs input").waitFor();
  await expect.poll(async () => await ada.page.title()).toMatch(/^Needs input: /);
  // With the keyboard.
  await card.getByRole("button", { name: "Allow", exact: true }).focus();
  await ada.page.keyboard.press("Enter");
  await answers.nth(0).getByText('The tools said: {"sent":"Ann"}.').waitFor();
  await settled();
  await answers
    .nth(0)
    .getByRole("button", { name: /^Used send_letter/ })
    .waitFor();
  expect(await card.count()).toBe(0);
  await expect
    .poll(async () => await ada.page.evaluate("document.activeElement?.getAttribute('aria-label')"))
    .toBe("Message");
  expect(await ada.page.title()).not.toMatch(/^Needs input/);

  // Denied.
  await ask(letter);
  await cardIn(ada.page).getByRole("button", { name: "Deny", exact: true }).click();
  await answers.nth(1).getByText("The person did not allow this tool call.").waitFor();
  await settled();
  await answers
    .nth(1)
    .getByRole("button", { name: /^You denied send_letter/ })
    .waitFor();

  // Denied with a reason, with the keyboard alone.
  await ask(letter);
  const why = cardIn(ada.page).getByRole("button", { name: "Deny with a reason" });
  const reason = cardIn(ada.page).getByRole("textbox", { name: "Why not, or what to do instead" });
  await why.focus();
  await ada.page.keyboard.press("Enter");
  await reason.waitFor();
  expect(await violations(ada.page)).toEqual([]);
  // Back returns the focus and does not stop the run.
  await ada.page.keyboard.press("Escape");
  await expect
    .poll(async () => await why.evaluate((button) => button === button.ownerDocument.activeElement))
    .toBe(true);
  await ada.page.keyboard.press("Enter");
  await ada.page.keyboard.type("Ann has moved.");
  await ada.page.keyboard.press("Enter");
  await answers.nth(2).getByText("They said: Ann has moved.").waitFor();
  await settled();
  await answers
    .nth(2)
    .getByRole("button", { name: /^You denied send_letter.*Ann has moved\./ })
    .waitFor();

  await ada.page.reload();
  await answers
    .nth(1)
    .getByRole("button", { name: /^You denied send_letter/ })
    .waitFor();
});

test("does not ask again after 'always allow' in a thread, until it is revoked", async ({ ada }) => {
  const { ask, answers, settled } = chat(ada.page);
  await ask(letter);
  await cardIn(ada.page).getByRole("button", { name: "Allow in this chat" }).click();
  await settled();
  await ask(letter);
  await answers.nth(1).getByText('The tools said: {"sent":"Ann"}.').waitFor();
  await settled();
  const allowed = (page: typeof ada.page) =>
    page.getByRole("button", { name: "1 tool is always allowed in this chat" });
  const other = await ada.tab(new URL(ada.page.url()).pathname);
  await allowed(other).waitFor();
  expect(await violations(other)).toEqual([]);
  await allowed(other).click();
  await other.getByRole("menuitem", { name: "Ask again before using send_letter" }).click();
  for (const page of [other, ada.page]) await allowed(page).waitFor({ state: "detached" });
  await ask(letter);
  await cardIn(ada.page).waitFor();
});

test("says what happens, takes changed arguments, and shows what differs from the last call", async ({
  ada,
}) => {
  const { ask, answers, settled } = chat(ada.page);
  await ask(letter);
  const card = cardIn(ada.page);
  await card.getByText("It can change something.").waitFor();
  await card.getByRole("button", { name: "Change it first" }).click();
  expect(await violations(ada.page)).toEqual([]);
  await card.getByRole("textbox", { name: "to" }).fill("Ben");
  await card.getByRole("button", { name: "Allow as changed" }).click();
  await answers.nth(0).getByText("The person changed the arguments").waitFor();
  await answers
    .nth(0)
    .getByRole("button", { name: /^Used send_letter.*Ben/ })
    .waitFor();
  await settled();

  await ask(
    'Write. tool=send_letter({"to":"Cora","words":"Hi"}) tool=send_letter({"to":"Dan","words":"Hi"})',
  );
  await card.first().getByText("Last time: Dear Ann, thank you.").waitFor();
  await card.first().getByRole("button", { name: "Allow all 2 calls" }).click();
  await answers.nth(1).getByText('{"sent":"Cora"}').first().waitFor();
  await answers.nth(1).getByText('{"sent":"Dan"}').first().waitFor();
  await settled();

  // Allowed always, until the person takes it back in their settings.
  await ask(letter);
  await cardIn(ada.page).getByRole("button", { name: "Always allow" }).click();
  await settled();
  const settings = await ada.tab("/settings/tools");
  const rule = settings.getByRole("combobox", { name: "When send_letter is used" });
  await expect.poll(async () => await rule.inputValue()).toBe("always");
  expect(await violations(settings)).toEqual([]);
  await rule.selectOption("As usual");
  await expect.poll(async () => await rule.inputValue()).toBe("");
  await ask(letter);
  await cardIn(ada.page).waitFor();
});

test("still asks after a reload and after a server crash", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { ask, answers } = chat(ada.page);
  await ask(letter);
  await cardIn(ada.page).waitFor();
  await ada.page.reload();
  await cardIn(ada.page).waitFor();
  await environment.server.kill();
  await ada.page.getByText("Offline. Messages are saved on this device.").waitFor();
  // An answer given offline is saved, and sent automatically when the connection is back.
  await cardIn(ada.page).getByRole("button", { name: "Allow", exact: true }).click();
  await ada.page.getByText("Your answer is saved and will be sent when you’re back online.").waitFor();
  await environment.server.restart();
  await answers.getByText('The tools said: {"sent":"Ann"}.').waitFor();
});

test("shows an answer from one tab in both tabs, and in the slower one that the other answer was used", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  await chat(ada.page).ask(letter);
  await cardIn(ada.page).waitFor();
  const other = await ada.tab(new URL(ada.page.url()).pathname);
  await cardIn(other).getByRole("button", { name: "Allow", exact: true }).click();
  for (const page of [ada.page, other]) {
    await chat(page).answers.getByText('The tools said: {"sent":"Ann"}.').waitFor();
    await expect.poll(async () => await cardIn(page).count()).toBe(0);
  }

  await chat(ada.page).ask(letter);
  await cardIn(ada.page).waitFor();
  const held = Promise.withResolvers<void>();
  await other.route("**/approvals", async (route) => {
    await held.promise;
    await route.continue();
  });
  await cardIn(other).getByRole("button", { name: "Deny", exact: true }).click();
  await cardIn(other).getByText("You denied it.").waitFor();
  await cardIn(ada.page).getByRole("button", { name: "Allow", exact: true }).click();
  await chat(other).answers.nth(1).getByText('The tools said: {"sent":"Ann"}.').waitFor();
  held.resolve();
  await other.getByText("This was already answered, possibly in another tab.").waitFor();
});

test("can be stopped while it asks, and shows a question as a form in the thread", async ({ ada }) => {
  const { ask, answers, stopButton, log } = chat(ada.page);
  await ask(letter);
  await cardIn(ada.page).waitFor();
  await stopButton.click();
  await answers.getByText("You stopped this answer.").waitFor();
  expect(await cardIn(ada.page).count()).toBe(0);

  await ask(question);
  const form = log.getByRole("region", { name: "Which colour?" });
  expect(await form.getByRole("button", { name: "Answer" }).isDisabled()).toBe(true);
  expect(await violations(ada.page)).toEqual([]);
  await form.getByRole("radio", { name: "blue" }).check();
  await form.getByRole("textbox", { name: "Something else" }).fill("a dark one");
  await form.getByRole("button", { name: "Answer" }).click();
  await answers.nth(1).getByText('{"chosen":["blue"],"said":"a dark one"}').waitFor();
  await answers
    .nth(1)
    .getByRole("button", { name: /Asked you.*Which colour\? → blue, a dark one/ })
    .waitFor();
});

test("says in place of a request that its card did not load, and tries again as often as the person wants", async () => {
  const pattern = /\/assets\/tool-requests[^/]*\.js(?:\?.*)?$/;
  const ada = await visit(environment.browser, environment.server.url, {
    networkErrorsExpected: true,
    prepare: async (context) => await context.route(pattern, (route) => route.abort()),
  });
  const { ask, log } = chat(ada.page);
  await ask(letter);
  const notices = ada.page.getByRole("region", { name: "Notifications" });
  const said = notices.getByText("Couldn’t load this part of the app.");
  await said.waitFor();
  for (const place of [notices, log, log]) {
    const failed = ada.page.waitForEvent("requestfailed", (request) => pattern.test(request.url()));
    await place.getByRole("button", { name: "Try again" }).click();
    await failed;
    await said.waitFor();
    expect(await said.count()).toBe(1);
  }
  await log.getByText("Couldn’t load this part of the app.").waitFor();
  await ada.context.unroute(pattern);
  await log.getByRole("button", { name: "Try again" }).click();
  await cardIn(ada.page).getByRole("button", { name: "Allow", exact: true }).waitFor();
  expect(await log.getByText("Couldn’t load this part of the app.").count()).toBe(0);
});
