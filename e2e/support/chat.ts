import type { Locator, Page } from "playwright-core";
import { vi } from "vitest";

/** Locators and actions for a thread, by accessible names. */
export function chat(page: Page) {
  const composer = page.getByRole("textbox", { name: "Message", exact: true });
  const log = page.getByRole("log");
  const messages = (title: string) =>
    log.getByRole("article").filter({ has: page.getByRole("heading", { name: title }) });
  return {
    composer,
    log,
    questions: messages("You said"),
    answers: messages("Parlance said"),
    sendButton: page.getByRole("button", { name: "Send", exact: true }),
    stopButton: page.getByRole("button", { name: /^Stop/ }),
    threads: page.getByRole("navigation", { name: "Chats" }),
    /** Types a question, presses Enter once, and waits until the composer has sent it. */
    async ask(question: string) {
      await composer.fill(question);
      await composer.press("Enter");
      await page.waitForFunction(([field, text]) => (field as HTMLTextAreaElement).value !== text, [
        await composer.elementHandle(),
        question,
      ] as const);
    },
    /** Waits until no answer is running. */
    async settled() {
      await page.getByRole("button", { name: /^Stop/ }).waitFor({ state: "detached" });
    },
  };
}

/** Opens the sidebar if it is a closed drawer. */
export async function showThreads(page: Page): Promise<void> {
  const { threads } = chat(page);
  const drawer = page.getByRole("button", { name: "Show sidebar" });
  await drawer.or(threads).first().waitFor();
  if (await threads.isHidden()) await drawer.click();
  await threads.waitFor();
}

/** The visible text of an answer. */
export async function textOf(answer: Locator): Promise<string> {
  return (await answer.innerText()).trim();
}

/** Repeats `read` until `expected` does not throw, for at most 15 s. Like `expect.poll`, with a timeout for browsers. */
export async function eventually<Value>(
  read: () => Promise<Value>,
  expected: (value: Value) => void,
): Promise<void> {
  await vi.waitFor(async () => expected(await read()), { timeout: 15_000, interval: 50 });
}
