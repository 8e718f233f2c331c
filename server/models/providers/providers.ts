import { builtin } from "./builtin.ts";
import { ollama } from "./ollama.ts";
import { openAiCompatible } from "./openai-compatible.ts";
import type { ProviderDefinition } from "./provider.ts";

/**
 * Every provider. The first that offers a model provides the default one. If two offer the same id, the later one counts,
 * so no provider can replace the built-in assistant.
 */
export const providers: readonly ProviderDefinition[] = [openAiCompatible, ollama, builtin];
