import { expect, test } from "vitest";
import { chat } from "./support/chat.ts";
import { startEnvironment } from "./support/environment.ts";
import { visit, type Visit } from "./support/visit.ts";

const environment = startEnvironment({ contextTokens: 8_000 });

const filler = "The garden needs water in the morning and again at night. ".repeat(48);

function viewOf({ page }: Pick<Visit, "page">) {
  return {
    line: page.getByRole("button", { name: /^Summary of the \d+ messages above$/ }),
    gauge: page.getByRole("button", { name: /^Context: \d+% used$/ }),
    list: page.getByRole("region", { name: "What the model reads" }),
    field: page.getByRole("textbox", { name: "Text of the summary" }),
    button: (name: string) => page.getByRole("button", { name, exact: true }),
  };
}

/** Asks questions until the thread is compacted. Returns how many. */
async function talkUntilCompacted(ada: Visit): Promise<number> {
  const { ask, settled, answers } = chat(ada.page);
  const { line } = viewOf(ada);
  for (let count = 1; count <= 12; count++) {
    await ask(`Fact ${count} is blue.\n${filler} tokens=3`);
    await expect.poll(async () => await answers.count()).toBeGreaterThanOrEqual(count);
    await settled();
    const isCompacted = await line.waitFor({ timeout: 1_000 }).then(
      () => true,
      () => false,
    );
    if (isCompacted) return count;
  }
  throw new Error("The thread was never compacted.");
}

test("marks where a long thread was compacted; the summary can be read, edited and removed, in all tabs", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { questions, ask, settled } = chat(ada.page);
  const { line, button, field } = viewOf(ada);
  const count = await talkUntilCompacted(ada);
  expect(await questions.count()).toBe(count);
  const other = { page: await ada.tab(new URL(ada.page.url()).pathname) };

  await line.click();
  await ada.page.getByText("Fact 1 is blue.\nFact 2 is blue.").waitFor();
  await ada.page.getByText("Models read this instead. Written by fixture-1.").waitFor();
  await button("Edit summary").click();
  await field.fill("Ada said that all is green.");
  // Esc closes the form and keeps what was typed.
  await field.press("Escape");
  await button("Edit summary").click();
  expect(await field.inputValue()).toBe("Ada said that all is green.");
  await button("Save").click();
  await ada.page.getByText("Models read this instead. Written by fixture-1, then edited.").waitFor();
  const there = viewOf(other);
  await there.line.click();
  await other.page.getByText("Ada said that all is green.").waitFor();

  await ask("What is next? tokens=2");
  await settled();
  const sent = JSON.stringify(environment.model.requests.at(-1)!.body);
  expect(sent).toContain("Ada said that all is green.");
  expect(sent).not.toContain("Fact 1 is blue.");

  await button("Remove summary").click();
  await line.waitFor({ state: "detached" });
  await there.line.waitFor({ state: "detached" });
  await ask("And now? tokens=2");
  await settled();
  expect(JSON.stringify(environment.model.requests.at(-1)!.body)).toContain("Fact 1 is blue.");
});

test("shows how full the context is, and what takes it, and compacts on request", async () => {
  const ada = await visit(environment.browser, environment.server.url, { width: 390 });
  const { ask, settled, answers } = chat(ada.page);
  const { gauge, list, line, button } = viewOf(ada);
  for (let count = 1; count <= 9; count++) {
    await ask(`Fact ${count} is red.\n${filler} tokens=3`);
    await expect.poll(async () => await answers.count()).toBeGreaterThanOrEqual(count);
    await settled();
    if (count === 1) expect(await gauge.count()).toBe(0);
    if (await gauge.isVisible()) break;
  }
  await gauge.click();
  await list.getByText("Instructions").waitFor();
  await list.getByText("Messages", { exact: true }).waitFor();
  await list.getByText(/^[\d,]+ of 6,000 tokens$/).waitFor();
  await ada.page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  await gauge.press("Enter");
  await button("Summarize earlier messages").click();
  await line.waitFor();
  await list.getByText("Summary", { exact: true }).waitFor();
});
