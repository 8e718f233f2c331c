import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../../model.ts";
import { createRefusals } from "./refusals.ts";

const local = { baseUrl: "http://127.0.0.1/v1", modelId: "m" };

test.for([
  ["https://api.deepseek.com", "deepseek-v4-pro", "all"],
  ["https://api.moonshot.cn/v1", "latest", "all"],
  ["https://openrouter.ai/api/v1", "deepseek/deepseek-v4-flash", "all"],
  ["https://openrouter.ai/api/v1", "moonshotai/kimi-k2.6", "all"],
  ["http://127.0.0.1:11434/v1", "deepseek-r1:8b", "last-answer"],
  ["https://api.groq.com/openai/v1", "moonshotai/kimi-k2-instruct", "last-answer"],
  ["https://api.z.ai/api/paas/v4", "glm-5.1", "last-answer"],
  ["https://api.minimax.io/v1", "MiniMax-M3", "last-answer"],
  ["https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen3.7-max", "last-answer"],
  ["https://deepseek.com.example.org/v1", "m", "last-answer"],
] as const)("at %s, %s gets the reasoning of: %s", ([baseUrl, modelId, of]) => {
  expect(createRefusals({ baseUrl, modelId }).reasoning.of).toBe(of);
});

describe("the refusal of a message", () => {
  const missing = "The `reasoning_content` in the thinking mode must be passed back to the API.";
  const unsupported = "property 'reasoning_content' is unsupported";
  const request: ModelRequest = {
    messages: [],
    tools: [],
    purpose: "answer",
    settings: { reasoning: "high" },
  };
  const learn = (refusals: ReturnType<typeof createRefusals>, message: string) =>
    refusals.learn({ status: 400, code: "", message, retryAfterMs: undefined }, request);

  test.for([
    missing,
    "Missing `reasoning_content` field in the assistant message at message index 2.",
    "thinking is enabled but reasoning_content is missing in assistant tool call message at index 7",
  ])("without the reasoning sends all of it, and keeps the effort: %s", (message) => {
    const refusals = createRefusals(local);
    expect(learn(refusals, message)).toBe(true);
    expect(refusals.reasoning.of).toBe("all");
    expect(refusals.settings.refused(request.settings)).toEqual([]);
    // The same again is not helped by another request, and the opposite is not believed.
    expect([learn(refusals, message), learn(refusals, unsupported)]).toEqual([false, false]);
    expect(refusals.reasoning.of).toBe("all");
  });

  test.for([unsupported, "Extra inputs are not permitted: body.messages.1.assistant.reasoning_content"])(
    "with the reasoning sends none, until it is required: %s",
    (message) => {
      const refusals = createRefusals({ ...local, modelId: "deepseek-v4-pro" });
      expect(learn(refusals, message)).toBe(true);
      expect(refusals.reasoning.of).toBe("none");
      expect(learn(refusals, message)).toBe(false);
      expect(learn(refusals, missing)).toBe(true);
      expect(refusals.reasoning.of).toBe("all");
    },
  );
});
