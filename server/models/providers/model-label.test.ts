import { expect, test } from "vitest";
import { labelOf } from "./model-label.ts";

test.each([
  ["gpt-4o-mini-2024-07-18", "GPT-4o mini"],
  ["gpt-4.1", "GPT-4.1"],
  ["openai/gpt-oss-120b", "GPT-oss 120b"],
  ["o3-mini-2025-01-31", "o3 mini"],
  ["chatgpt-4o-latest", "ChatGPT 4o"],
  ["claude-3-5-sonnet-20241022", "Claude 3.5 Sonnet"],
  ["anthropic/claude-sonnet-4-5", "Claude Sonnet 4.5"],
  ["meta-llama/llama-3.1-70b-instruct", "Llama 3.1 70B Instruct"],
  ["llama3.2:latest", "Llama 3.2"],
  ["qwen3:8b", "Qwen3 8B"],
  ["mistral-large-latest", "Mistral Large"],
  ["deepseek-r1", "DeepSeek R1"],
])("%s is shown as %s", (id, label) => expect(labelOf(id)).toBe(label));

test.each(["fixture-1", "our-own_model-2024-07-18", "team/phil", "default"])("%s stays as it is", (id) =>
  expect(labelOf(id)).toBe(id),
);
