import type { ProviderKind } from "./kind.ts";

/** Models before Claude 4.6, which continue an assistant message at the end of a conversation. Newer ones refuse it. */
const olderModels = /^claude-(?:[123]|instant|(?:opus|sonnet|haiku)-4-(?:[015]|20\d{6})(?:-|$))/;

/** Anthropic's Messages API. */
export const anthropic: ProviderKind = {
  api: {
    options: { name: "anthropic" },
    prefillOptions: (id) => (olderModels.test(id) ? {} : undefined),
    isLastEvent: (data) => /"type":\s*"message_stop"/.test(data),
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
