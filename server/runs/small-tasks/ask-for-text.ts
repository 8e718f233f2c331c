import type { Model, ModelRequest } from "#server/models/model.ts";
import type { RequestObserver } from "#server/models/request-observer.ts";

/** The text of the model's answer, up to about `charactersMax`. Throws `ModelError` and the signal's reason. */
export async function askForText(
  model: Model,
  request: ModelRequest,
  {
    timeoutMs,
    charactersMax,
    observer,
    signal,
  }: { timeoutMs: number; charactersMax: number; observer: RequestObserver; signal: AbortSignal },
): Promise<string> {
  let text = "";
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  for await (const event of model.stream(request, timeout, observer)) {
    if (event.type === "text") text += event.text;
    if (text.length > charactersMax) break;
  }
  return text;
}
