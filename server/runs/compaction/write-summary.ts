import { limits } from "#contract/limits.ts";
import type { Model, ModelMessage } from "#server/models/model.ts";
import type { RequestObserver } from "#server/models/request-observer.ts";
import { askForText, isAnswer, isWhole, withoutReasoning } from "../small-tasks/ask-for-text.ts";
import { summaryRequest } from "./summary-request.ts";

/** 3 minutes: models that reason first take long. */
const summaryTimeoutMs = 180_000;
const attemptsMax = 2;

/**
 * Asks the model for a summary, twice if the first one is no summary or has no end: it replaces the messages, so that half
 * of one would lose them. Throws if there is none, `ModelError` and the signal's reason.
 */
export async function writeSummary(
  model: Model,
  previousSummary: string | undefined,
  messages: readonly ModelMessage[],
  signal: AbortSignal,
  observer: RequestObserver,
): Promise<string> {
  const request = summaryRequest(previousSummary, messages);
  const charactersMax = limits.summaryCharacters;
  const options = { timeoutMs: summaryTimeoutMs, charactersMax, observer, signal };
  for (let attempt = 1; ; attempt++) {
    const asked = await askForText(model, request, options);
    const summary = withoutReasoning(asked.text);
    if (summary !== "" && isAnswer(asked) && isWhole(asked)) return summary;
    if (attempt === attemptsMax) throw new Error(`the model wrote no summary: it ended by ${asked.ended}`);
  }
}
