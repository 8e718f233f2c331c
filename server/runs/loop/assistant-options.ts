import type { AssistantParameters } from "#contract/endpoints/assistants.ts";
import type { ResolvedAssistant } from "#server/assistants/assistants.ts";
import type { ModelSettings } from "#server/models/model.ts";

/** The tools that an assistant may use. Names of tools that no longer exist are ignored. */
export function toolsOf<T extends { name: string }>({ tools }: ResolvedAssistant, all: readonly T[]): T[] {
  return all.filter(({ name }) => tools === null || tools.includes(name));
}

export function modelSettingsOf(parameters: AssistantParameters): ModelSettings {
  const { temperature, top_p: topP, max_output_tokens: maxOutputTokens } = parameters;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}
