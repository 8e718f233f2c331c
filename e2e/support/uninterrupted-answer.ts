import { chat, textOf } from "./chat.ts";
import type { Stage } from "./stage.ts";
import { visit } from "./visit.ts";

/** Returns the full answer to `question` without interruptions. It is asked only once. */
export function uninterruptedAnswer(stage: Stage, question: string): () => Promise<string> {
  let answer: Promise<string> | undefined;
  return async () => await (answer ??= askOnce(stage, question));
}

async function askOnce(stage: Stage, question: string): Promise<string> {
  const ada = await visit(stage.browser, stage.server.url);
  const { ask, answers, settled } = chat(ada.page);
  await ask(question);
  await answers.first().waitFor();
  await settled();
  const words = await textOf(answers.first());
  await ada.end();
  return words;
}
