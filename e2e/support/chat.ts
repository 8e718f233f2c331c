import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** What a person does and sees in a thread, by the names that a screen reader reads out. */
export function chat(page: Page) {
  const composer = page.getByRole("textbox", { name: "Message", exact: true });
  const log = page.getByRole("log");
  const said = (title: string) =>
    log.getByRole("article").filter({ has: page.getByRole("heading", { name: title }) });
  return {
    composer,
    log,
    questions: said("You said"),
    answers: said("Parlance said"),
    sendButton: page.getByRole("button", { name: "Send", exact: true }),
    stopButton: page.getByRole("button", { name: /^Stop/ }),
    threads: page.getByRole("navigation", { name: "Threads" }),
    /** Types a question and presses Enter, once, and waits until the composer has passed it on. */
    async ask(question: string) {
      await composer.fill(question);
      await composer.press("Enter");
      await page.waitForFunction(([field, text]) => (field as HTMLTextAreaElement).value !== text, [
        await composer.elementHandle(),
        question,
      ] as const);
    },
    /** Until no answer is being written. */
    async settled() {
      await page.getByRole("button", { name: /^Stop/ }).waitFor({ state: "detached" });
    },
  };
}

/** Brings the list of threads into view, where it is a drawer that is closed. */
export async function showThreads(page: Page): Promise<void> {
  const { threads } = chat(page);
  const drawer = page.getByRole("button", { name: "Show sidebar" });
  await drawer.or(threads).first().waitFor();
  if (await threads.isHidden()) await drawer.click();
  await threads.waitFor();
}

/** The words of an answer, as they are shown. */
export async function wordsOf(answer: Locator): Promise<string> {
  return (await answer.innerText()).trim();
}

/** Waits until `look` gives what `expected` says, as `expect.poll` does, with a time that fits a browser. */
export async function eventually<Value>(
  look: () => Promise<Value>,
  expected: (value: Value) => void,
): Promise<void> {
  let last: unknown;
  const endsAtMs = Date.now() + 15_000;
  while (Date.now() < endsAtMs) {
    try {
      expected(await look());
      return;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect.unreachable(`It never came to that: ${String(last)}`);
}
