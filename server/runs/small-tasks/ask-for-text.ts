import type { FinishReason } from "#contract/run-events.ts";
import type { Model, ModelRequest } from "#server/models/model.ts";
import type { RequestObserver } from "#server/models/request-observer.ts";

/** A text, and why the model stopped; `too-long` if it wrote more than it may. */
export type AskedText = { text: string; ended: FinishReason | "too-long" };

/**
 * Asks the model for a text, which is read up to about `charactersMax`. Throws `ModelError` and the signal's reason;
 * `onText` gets what has arrived until then.
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
): Promise<AskedText> {
  let text = "";
  let ended: AskedText["ended"] = "other";
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  for await (const event of model.stream(request, timeout, observer)) {
    if (event.type === "finish") ended = event.reason;
    if (event.type !== "text") continue;
    text += event.text;
    onText?.(text);
    if (text.length > charactersMax) return { text, ended: "too-long" };
  }
  return { text, ended };
}

/** The model's text without reasoning, which a model without a field for it writes into the text. */
export function withoutReasoning(text: string): string {
  return text.replace(/<think>[\s\S]*?(<\/think>|$)/g, "").trim();
}

/** Whether the model answered at all: it did not refuse, and wrote a text and no call of a tool. */
export function isAnswer({ text, ended }: AskedText): boolean {
  return ended !== "content-filter" && ended !== "tool-calls" && !toolSyntax.test(withoutReasoning(text));
}

/** Whether the text has its end. */
export function isWhole({ ended }: AskedText): boolean {
  return ended !== "length" && ended !== "too-long";
}

/** The beginnings of calls in the formats of local models, whose servers do not always recognize them. */
const toolSyntax =
  /^(?:<\|?(?:tool_?call|function|invoke|python_tag|channel\|>commentary)|<｜tool|\[TOOL_CALLS?\]|functions\.\w+:\d|```(?:tool_(?:call|code)|json\s*\{\s*"(?:name|tool)")|\[?\{\s*"(?:name|tool|tool_calls?|function)"\s*:)/i;
