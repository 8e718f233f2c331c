import type { createOpenAICompatible } from "@ai-sdk/openai-compatible";

// The SDK's types are taken from the functions that we call: its package of types is not a direct dependency.
export type ChatModel = ReturnType<ReturnType<typeof createOpenAICompatible>["chatModel"]>;
export type EmbeddingModel = ReturnType<ReturnType<typeof createOpenAICompatible>["embeddingModel"]>;
export type ChatSettings = Parameters<typeof createOpenAICompatible>[0];
export type ChatCall = Parameters<ChatModel["doStream"]>[0];
export type ChatStream = Awaited<ReturnType<ChatModel["doStream"]>>["stream"];
export type ChatStreamPart = ChatStream extends ReadableStream<infer Part> ? Part : never;
export type ChatPrompt = ChatCall["prompt"];
export type ChatMessage = ChatPrompt[number];
