import type { ModelRequest } from "../../model.ts";

/** Matches the error messages of servers that do not continue an assistant message at the end of a conversation. */
export const prefillRefusedPattern =
  /prefill|prefix|continue_final_message|add_generation_prompt|(?:last|final) message|end with a user/i;

/**
 * Whether the start of the answer can be sent as the last message, for the model to continue. Not for a model that
 * reasons first. Not for a text that ends with a space: Anthropic's API and the templates of local models cut it off,
 * and the model would write it again.
 */
export function canPrefill({ continuesAnswer, messages, settings, json }: ModelRequest): boolean {
  const last = messages.at(-1);
  if (continuesAnswer !== true || json !== undefined || last?.role !== "assistant") return false;
  if ((settings?.reasoning ?? "none") !== "none") return false;
  const end = last.parts.at(-1);
  return last.parts.every(({ type }) => type === "text") && end?.type === "text" && /\S$/.test(end.text);
}
