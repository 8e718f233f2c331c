import { limits } from "#contract/limits.ts";
import { cutText } from "#contract/text.ts";
import type { Model, ModelMessage } from "#server/models/model.ts";
import type { RequestObserver } from "#server/models/request-observer.ts";
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
  const request = summaryRequest(previousSummary, messages);
  let text = "";
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(summaryTimeoutMs)]);
  for await (const event of model.stream(request, timeout, observer)) {
    if (event.type === "text") text += event.text;
    if (text.length > limits.summaryCharacters) break;
  }
  // A model without a field for its reasoning may write it into the text.
  const summary = text.replace(/<think>[\s\S]*?(<\/think>|$)/g, "").trim();
  return cutText(summary, limits.summaryCharacters);
}
