import type { AssistantParameters } from "#contract/endpoints/assistants.ts";
import type { ResolvedAssistant } from "#server/assistants/assistants.ts";
import type { ModelSettings } from "#server/models/model.ts";

/** Those of the tools that an assistant may use; one that is no more is left out. */
export function toolsOf<T extends { name: string }>({ tools }: ResolvedAssistant, all: readonly T[]): T[] {
  return all.filter(({ name }) => tools === null || tools.includes(name));
}

/** An assistant's parameters in the words of models. */
export function settingsOf(parameters: AssistantParameters): ModelSettings {
  const { temperature, top_p: topP, max_output_tokens: maxOutputTokens } = parameters;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}
