import type { Model, ModelRequest } from "#server/models/model.ts";
import type { RequestObserver } from "#server/models/request-observer.ts";

/**
 * The text of the model's answer, up to about `charactersMax`. Throws `ModelError` and the signal's reason; `onText` gets
 * what has arrived until then.
 */
export async function askForText(
  model: Model,
  request: ModelRequest,
  {
    timeoutMs,
    charactersMax,
    observer,
    signal,
    onText,
  }: {
    timeoutMs: number;
    charactersMax: number;
    observer: RequestObserver;
    signal: AbortSignal;
    onText?: (textSoFar: string) => void;
  },
): Promise<string> {
  let text = "";
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  for await (const event of model.stream(request, timeout, observer)) {
    if (event.type !== "text") continue;
    text += event.text;
    onText?.(text);
    if (text.length > charactersMax) break;
  }
  return text;
}
