import type { ProviderKindId } from "#contract/provider-kinds.ts";
import { anthropic } from "./anthropic.ts";
import { azure } from "./azure.ts";
import { google } from "./google.ts";
import type { ProviderKind } from "./kind.ts";
import { mistral } from "./mistral.ts";
import { ollama } from "./ollama.ts";
import { openAiCompatible } from "./openai-compatible.ts";
import { openAi } from "./openai.ts";

export const kinds: Readonly<Record<ProviderKindId, ProviderKind>> = {
  openai: openAi,
  anthropic,
  google,
  mistral,
  // OpenRouter's list says what each model reads. Its sources, images and reasoning have the forms that are read anyway.
  openrouter: openAiCompatible,
  groq: openAiCompatible,
  azure,
  ollama,
  "openai-compatible": openAiCompatible,
};
