import { chat, textOf } from "./chat.ts";
import type { GuestEnvironment } from "./environment.ts";
import { visit } from "./visit.ts";

/** Returns the full answer to `question` without interruptions. It is asked only once. */
export function uninterruptedAnswer(environment: GuestEnvironment, question: string): () => Promise<string> {
  let answer: Promise<string> | undefined;
  return async () => await (answer ??= askOnce(environment, question));
}

async function askOnce(environment: GuestEnvironment, question: string): Promise<string> {
  const ada = await visit(environment.browser, environment.server.url);
  const { ask, answers, settled } = chat(ada.page);
  await ask(question);
  await answers.first().waitFor();
  await settled();
  const words = await textOf(answers.first());
  await ada.end();
  return words;
}
