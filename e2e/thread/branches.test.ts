import { expect } from "vitest";
import type { Page } from "playwright-core";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

async function edit(page: Page, which: number, words: string): Promise<void> {
  const { questions } = chat(page);
  await questions.nth(which).hover();
  await questions.nth(which).getByRole("button", { name: "Edit" }).click();
  const field = page.getByRole("textbox", { name: "Edit your message" });
  await field.fill(words);
  await field.press("Enter");
}

test("creates a second version of an edited message, and switches between the two", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390 });
  const { ask, questions, answers, settled } = chat(ada.page);
  await ask("What is a river?");
  await settled();
  await ask("And a stone?");
  await answers.nth(1).waitFor();
  await settled();
  await edit(ada.page, 0, "What is a garden?");
  await questions.first().getByText("2 / 2").waitFor();
  await answers.first().getByText("What is a garden?").waitFor();
  await settled();
  expect(await questions.count()).toBe(1);

  await questions.first().getByRole("button", { name: "Previous version" }).click();
  await questions.first().getByText("1 / 2").waitFor();
  await questions.first().getByText("What is a river?").waitFor();
  await questions.nth(1).getByText("And a stone?").waitFor();

  await ada.page.reload();
  await questions.first().getByText("1 / 2").waitFor();
  await questions.nth(1).getByText("And a stone?").waitFor();
  await questions.first().getByRole("button", { name: "Next version" }).click();
  await questions.first().getByText("2 / 2").waitFor();
  await questions.first().getByText("What is a garden?").waitFor();
});

test("keeps the arrows in place when a version is longer", async ({ ada }) => {
  const { ask, questions, settled } = chat(ada.page);
  await ask("First question");
  await settled();
  await ask("Short\n\ntokens=400");
  await settled();
  await edit(ada.page, 1, `${"A longer version.\n\n".repeat(40)}tokens=400`);
  await questions.nth(1).getByText("2 / 2").waitFor();
  await settled();
  const button = (name: string) => questions.nth(1).getByRole("button", { name });
  for (const width of [1280, 390]) {
    await ada.page.setViewportSize({ width, height: 800 });
    await button("Previous version").click();
    await questions.nth(1).getByText("1 / 2").waitFor();
    const before = (await button("Next version").boundingBox())!;
    await button("Next version").click();
    await questions.nth(1).getByText("2 / 2").waitFor();
    await eventually(
      async () => (await button("Next version").boundingBox())!.y,
      (y) => expect(Math.abs(y - before.y)).toBeLessThan(2),
    );
    await button("Previous version").click();
    await questions.nth(1).getByText("1 / 2").waitFor();
    expect(await button("Next version").evaluate((it) => it.getBoundingClientRect().bottom)).toBeLessThan(
      800,
    );
    await button("Next version").click();
    await questions.nth(1).getByText("2 / 2").waitFor();
  }
});

test("keeps the old answer when it is regenerated, and switches to another version and back while one streams", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { ask, questions, answers, settled, stopButton } = chat(ada.page);
  await ask("First one");
  await settled();
  await answers.first().getByRole("button", { name: "Regenerate", exact: true }).click();
  await answers.first().getByText("2 / 2").waitFor();
  await settled();
  await answers.first().getByRole("button", { name: "Previous version" }).click();
  await answers.first().getByText("1 / 2").waitFor();
  expect(await answers.count()).toBe(1);
  await edit(ada.page, 0, "Second one endless gap=30\nendless");
  await questions.first().getByText("2 / 2").waitFor();
  await expect.poll(async () => (await answers.first().innerText()).length).toBeGreaterThan(60);
  await questions.first().getByRole("button", { name: "Previous version" }).click();
  await questions.first().getByText("First one").waitFor();
  await questions.first().getByRole("button", { name: "Next version" }).click();
  await questions.first().getByText("Second one").waitFor();
  await stopButton.click();
  await answers.first().getByText("You stopped this answer.").waitFor();
  await settled();
});

test("shows an edit and a switch in every tab within a second", async ({ ada }) => {
  const first = chat(ada.page);
  await first.ask("Original");
  await first.settled();
  const other = await ada.tab(new URL(ada.page.url()).pathname);
  const second = chat(other);
  await second.answers.first().waitFor();
  await edit(ada.page, 0, "Changed");
  await second.questions.first().getByText("2 / 2").waitFor({ timeout: 2_000 });
  await first.settled();
  await second.questions.first().getByRole("button", { name: "Previous version" }).click();
  await first.questions.first().getByText("Original").waitFor({ timeout: 2_000 });
  await second.questions.first().getByText("Original").waitFor({ timeout: 2_000 });
});

test("keeps the draft of an edit after a reload and Esc, until it is sent or discarded", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390 });
  const { ask, questions, settled } = chat(ada.page);
  await ask("What is a river?");
  await settled();
  const field = ada.page.getByRole("textbox", { name: "Edit your message" });
  const continueEditing = questions.first().getByRole("button", { name: "Keep editing" });
  await questions.first().hover();
  await questions.first().getByRole("button", { name: "Edit" }).click();
  await field.fill("What is a garden, and");
  await ada.page.reload();
  await continueEditing.click();
  expect(await field.inputValue()).toBe("What is a garden, and");
  await field.fill("What is a garden, and a stone? tokens=3");
  await field.press("Escape");
  await continueEditing.click();
  expect(await field.inputValue()).toBe("What is a garden, and a stone? tokens=3");

  await ada.page.getByRole("button", { name: "Cancel" }).click();
  await questions.first().getByText("What is a river?").waitFor();
  await continueEditing.waitFor({ state: "detached" });
  await ada.page.getByRole("button", { name: "Undo" }).click();
  await continueEditing.click();
  await field.press("Enter");
  await questions.first().getByText("2 / 2").waitFor();
  await settled();
  await questions.first().getByRole("button", { name: "Previous version" }).click();
  await questions.first().getByText("What is a river?").waitFor();
  expect(await continueEditing.count()).toBe(0);
});
