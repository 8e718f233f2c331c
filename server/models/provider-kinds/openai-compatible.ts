import { chatCompletions } from "../providers/chat-completions/chat-completions.ts";
import { openAiListRequest, type ProviderKind } from "./kind.ts";

/** Any server with OpenAI's chat completions API, such as vLLM, llama.cpp or LM Studio. */
export const openAiCompatible: ProviderKind = {
  api: chatCompletions,
  usualInputs: ["image"],
  hasEfforts: (id) => /gpt-oss/.test(id),
  listRequest: openAiListRequest,
};
