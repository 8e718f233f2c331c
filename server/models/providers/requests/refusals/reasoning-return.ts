/**
 * Which reasoning goes back to the model as the field `reasoning_content` of chat completions.
 *
 * `last-answer`: between the tool calls of one answer. `all`: in every message of the model, because some refuse a
 * conversation without it.
 */
export type ReasoningReturn = {
  readonly of: "none" | "last-answer" | "all";
  /** Records what the provider says about the field. Returns whether another request can succeed. */
  learn(message: string): boolean;
};

/**
 * DeepSeek: "if the model performed a tool call, the intermediate assistant's `reasoning_content` … must be passed back to
 * the API in all subsequent user interaction turns" (api-docs.deepseek.com/guides/thinking_mode); with tools in the
 * request it also misses the field in messages without calls (openclaw/openclaw#73417). Not R1, which cannot call tools.
 * Kimi: "thinking is enabled but reasoning_content is missing in assistant tool call message"
 * (QuantumNous/new-api#3121, MoonshotAI's own API in bytedance/deer-flow#3043).
 *
 * Not proved to insist, so they get it between the tool calls of one answer alone:
 * - GLM (docs.z.ai/guides/capabilities/thinking-mode) wants it there, and drops that of earlier turns by itself.
 * - Qwen (QwenLM/qwen-code#5637) drops that of earlier turns, unless `preserve_thinking` is set.
 * - MiniMax (vellum-ai/vellum-assistant#34556) recommends it, as `reasoning_details`.
 *
 * Groq (SimonSchubert/Kai#265) and Cerebras (QwenLM/qwen-code#11045) refuse the field: they say so, and `learn` reads it.
 */
const needsAllHosts = /(?:^|\.)(?:deepseek\.com|moonshot\.(?:ai|cn)|kimi\.com)$/;
const needsAllModels = /deepseek(?!.*\br1\b)|kimi-(?:k2-thinking|k2[.-][5-9]|k[3-9]|for-coding)/i;

const missingPattern = /pass(?:ed)? back|missing|required|must be (?:provided|included|present)/i;

export function createReasoningReturn({
  baseUrl,
  modelId,
}: {
  baseUrl: string;
  modelId: string;
}): ReasoningReturn {
  let isRequired = false;
  let of: ReasoningReturn["of"] =
    needsAllHosts.test(new URL(baseUrl).hostname) || needsAllModels.test(modelId) ? "all" : "last-answer";
  return {
    get of() {
      return of;
    },
    learn(message) {
      // What was required once is never left out, so that two answers cannot contradict each other without an end.
      if (isRequired) return false;
      if (missingPattern.test(message)) {
        isRequired = true;
        of = "all";
        return true;
      }
      if (of === "none") return false;
      of = "none";
      return true;
    },
  };
}
