import type { createOpenAICompatible } from "@ai-sdk/openai-compatible";

/** The library's own types, by the functions we call: its type package is not ours to name. */
export type ChatModel = ReturnType<ReturnType<typeof createOpenAICompatible>["chatModel"]>;
export type ChatSettings = Parameters<typeof createOpenAICompatible>[0];
export type ChatCall = Parameters<ChatModel["doStream"]>[0];
export type ChatStream = Awaited<ReturnType<ChatModel["doStream"]>>["stream"];
export type ChatStreamPart = ChatStream extends ReadableStream<infer Part> ? Part : never;
export type ChatPrompt = ChatCall["prompt"];
export type ChatMessage = ChatPrompt[number];

let library: Promise<typeof import("@ai-sdk/openai-compatible")> | undefined;

/** The library, loaded when it is first needed: it takes some 80 ms and 24 MB. */
export function loadSdk(): Promise<typeof import("@ai-sdk/openai-compatible")> {
  library ??= import("@ai-sdk/openai-compatible");
  return library;
}
