import { chat, wordsOf } from "./chat.ts";
import type { Stage } from "./stage.ts";
import { visit } from "./visit.ts";

/** What the answer to `question` says when nobody disturbs it; asked once for each. */
export function undisturbedOn(stage: Stage, question: string): () => Promise<string> {
  let said: Promise<string> | undefined;
  return async () => await (said ??= askOnce(stage, question));
}

async function askOnce(stage: Stage, question: string): Promise<string> {
  const ada = await visit(stage.browser, stage.server.url);
  const { ask, answers, settled } = chat(ada.page);
  await ask(question);
  await answers.first().waitFor();
  await settled();
  const words = await wordsOf(answers.first());
  await ada.end();
  return words;
}
