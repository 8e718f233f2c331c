import type { Page } from "playwright-core";
import { expect } from "vitest";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

function queueOf(page: Page) {
  const section = page.getByRole("region", { name: "Queued messages" });
  const rows = section.getByRole("listitem");
  return {
    rows,
    row: (words: string) => rows.filter({ hasText: words }),
    async says(words: string[]) {
      await eventually(
        async () => await rows.allInnerTexts(),
        (texts) => {
          expect(texts).toHaveLength(words.length);
          for (const [index, word] of words.entries()) expect(texts[index]).toContain(word);
        },
      );
    },
  };
}

test("queues three messages, edits them and removes one in all tabs, and sends the rest in order", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390 });
  const { composer, ask, questions, stopButton } = chat(ada.page);
  await ask("Tell me something long\nendless gap=20");
  await stopButton.waitFor();
  for (const words of ["First tokens=3", "Second tokens=3", "Third tokens=3"]) {
    await composer.fill(words);
    await composer.press("Enter");
    await expect.poll(async () => await composer.inputValue()).toBe("");
  }
  const here = queueOf(ada.page);
  await here.says(["First", "Second", "Third"]);
  expect(await stopButton.isVisible()).toBe(true);
  expect(await questions.count()).toBe(1);

  const other = await ada.context.newPage();
  await other.goto(ada.page.url());
  const there = queueOf(other);
  await there.says(["First", "Second", "Third"]);

  // With the keyboard, because the rows move while the answer above them grows.
  await here.row("Second").getByRole("button", { name: "Edit" }).press("Enter");
  const field = ada.page.getByRole("textbox", { name: "Edit queued message" });
  await field.fill("Deuxième tokens=3");
  await field.press("Enter");
  await there.says(["First", "Deuxième", "Third"]);
  await there.row("First").getByRole("button", { name: "Remove" }).press("Enter");
  await here.says(["Deuxième", "Third"]);
  // Undo puts it back in its place.
  await there.row("Deuxième").getByRole("button", { name: "Remove" }).press("Enter");
  await here.says(["Third"]);
  await other.getByText("Removed “Deuxième tokens=3”.").waitFor();
  await other.getByRole("button", { name: "Undo" }).last().click();
  await here.says(["Deuxième", "Third"]);
  await ada.page.reload();
  await here.says(["Deuxième", "Third"]);

  // The draft of an edit survives a reload and Esc.
  await here.row("Third").getByRole("button", { name: "Edit" }).press("Enter");
  await field.fill("Another");
  await ada.page.reload();
  const keepEditing = here.row("Third").getByRole("button", { name: "Keep editing" });
  await keepEditing.press("Enter");
  expect(await field.inputValue()).toBe("Another");
  await field.fill("Another one tokens=3");
  await field.press("Escape");
  await keepEditing.press("Enter");
  await field.press("Enter");
  await here.says(["Deuxième", "Another one"]);
  await here.row("Another").getByRole("button", { name: "Edit", exact: true }).waitFor();

  await stopButton.click();
  await expect
    .poll(async () =>
      (await questions.allInnerTexts()).map((text) => /long|Deuxième|Another/.exec(text)?.[0]),
    )
    .toEqual(["long", "Deuxième", "Another"]);
  await here.says([]);
  await chat(ada.page).settled();
  await expect.poll(async () => await chat(other).questions.count()).toBe(3);
});

test("holds the queue after a failure until it is sent manually", async ({ ada }) => {
  const { composer, ask, questions, stopButton } = chat(ada.page);
  await ask(`Break off at wide wait=2500 status=400 times=1`);
  await stopButton.waitFor();
  await composer.fill("After that tokens=3");
  await composer.press("Enter");
  const { rows, row, says } = queueOf(ada.page);
  await says(["After that"]);
  await row("Will be sent when you continue.").waitFor();
  expect(await questions.count()).toBe(1);
  await rows.getByRole("button", { name: "Send now" }).focus();
  await ada.page.keyboard.press("Enter");
  await expect.poll(async () => await questions.count()).toBe(2);
  await says([]);
  await chat(ada.page).settled();
});

test("keeps messages queued offline after a reload, and sends them when online", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { composer, ask, questions, answers, stopButton } = chat(ada.page);
  await ask("Tell me something long\nendless gap=20");
  // The page shows Stop before the server has the first message.
  await answers.getByText("the").waitFor();
  await ada.context.route("**/runs", async (route) => await route.abort("connectionrefused"));
  for (const words of ["One tokens=3", "Two tokens=3"]) {
    await composer.fill(words);
    await composer.press("Enter");
  }
  const { row, says } = queueOf(ada.page);
  await says(["One", "Two"]);
  await row("One").getByText("Can’t reach the server.").waitFor();
  await ada.page.reload();
  await says(["One", "Two"]);
  await row("One").getByRole("button", { name: "Send again" }).waitFor();
  await ada.context.unroute("**/runs");
  // With the keyboard: on a slow machine, the row keeps moving below the growing answer.
  await row("One").getByRole("button", { name: "Send again" }).press("Enter");
  await expect.poll(async () => await ada.page.getByText("Sending", { exact: true }).count()).toBe(0);
  await says(["One", "Two"]);
  await stopButton.click();
  await expect.poll(async () => await questions.count()).toBe(3);
  await chat(ada.page).settled();
});

test("shows that a stop or a version switch failed", async () => {
  const ada = await visit(environment.browser, environment.server.url, { networkErrorsExpected: true });
  const { ask, stopButton, answers, settled } = chat(ada.page);
  await ask("Begin tokens=3");
  await settled();
  await answers.first().hover();
  await answers.first().getByRole("button", { name: "Regenerate", exact: true }).click();
  await settled();
  await ada.context.route("**/head", async (route) => await route.abort("connectionrefused"));
  await answers.first().getByRole("button", { name: "Previous version" }).click();
  await answers.first().getByText("Couldn’t switch versions.").waitFor();
  await ask("Tell me something long\nendless gap=20");
  await stopButton.waitFor();
  await ada.context.route("**/stop", async (route) => await route.abort("connectionrefused"));
  await stopButton.click();
  await ada.page.getByText("Couldn’t stop the answer.").waitFor();
  await ada.context.unroute("**/stop");
  await stopButton.click();
  await settled();
  expect(await ada.page.getByText("Couldn’t stop the answer.").count()).toBe(0);
});
