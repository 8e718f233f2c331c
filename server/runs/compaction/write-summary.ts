import { limits } from "#contract/limits.ts";
import { cutText } from "#contract/text.ts";
import type { Model, ModelMessage } from "#server/models/model.ts";
import type { RequestObserver } from "#server/models/request-observer.ts";
import { askForText } from "../small-tasks/ask-for-text.ts";
import { summaryRequest } from "./summary-request.ts";

/** 3 minutes: models that reason first take long. */
const summaryTimeoutMs = 180_000;

/** Asks the model for a summary. Empty if it writes none. Throws `ModelError` and the signal's reason. */
export async function writeSummary(
  model: Model,
  previousSummary: string | undefined,
  messages: readonly ModelMessage[],
  signal: AbortSignal,
  observer: RequestObserver,
): Promise<string> {
  const charactersMax = limits.summaryCharacters;
  const options = { timeoutMs: summaryTimeoutMs, charactersMax, observer, signal };
  const text = await askForText(model, summaryRequest(previousSummary, messages), options);
  // A model without a field for its reasoning may write it into the text.
  const summary = text.replace(/<think>[\s\S]*?(<\/think>|$)/g, "").trim();
  return cutText(summary, charactersMax);
}
