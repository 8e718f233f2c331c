import type { ProviderKind } from "./kind.ts";

/** Anthropic's Messages API. */
export const anthropic: ProviderKind = {
  api: {
    options: { name: "anthropic" },
    cacheMark: { cacheControl: { type: "ephemeral" } },
    async createModel({ baseUrl, apiKey = "" }, modelId, { fetch }) {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL: baseUrl, apiKey, fetch })(modelId);
    },
  },
  usualInputs: ["image", "pdf"],
  hasEfforts: (id) => id.startsWith("claude-") && !/^claude-(?:[12]|instant|3-(?!7))/.test(id),
  listRequest: ({ baseUrl, apiKey = "" }) => ({
    url: `${baseUrl}/models?limit=1000`,
    headers: { "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
  }),
};
