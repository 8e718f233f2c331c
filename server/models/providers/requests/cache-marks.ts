import type { ChatMessage, ChatPrompt } from "./sdk.ts";

type Mark = NonNullable<ChatMessage["providerOptions"]>;

/**
 * Marks where the provider caches the prompt: after the system message, after the person's last message, and at the end,
 * where the next request goes on. Requests of one conversation begin with the same messages, so that they read the cache.
 */
export function withCacheMarks(prompt: ChatPrompt, mark: Mark | undefined): ChatPrompt {
  if (mark === undefined) return prompt;
  const marked = [
    prompt.findLastIndex(({ role }) => role === "system"),
    prompt.findLastIndex(({ role }) => role === "user"),
    prompt.length - 1,
  ];
  return prompt.map((message, at) =>
    marked.includes(at) ? { ...message, providerOptions: { ...message.providerOptions, ...mark } } : message,
  );
}
