import type { AssistantParameters } from "#contract/endpoints/assistants.ts";
import type { ReasoningEffort } from "#contract/endpoints/models.ts";
import type { ResolvedAssistant } from "#server/assistants/assistants.ts";
import type { ModelSettings } from "#server/models/model.ts";

/** The tools that an assistant may use. Names of tools that no longer exist are ignored. */
export function toolsOf<T extends { name: string }>({ tools }: ResolvedAssistant, all: readonly T[]): T[] {
  return all.filter(({ name }) => tools === null || tools.includes(name));
}

/** `effort` is the reasoning effort that the thread has chosen, `efforts` are those that the model supports. */
export function modelSettingsOf(
  parameters: AssistantParameters,
  { effort, efforts }: { effort: string | null; efforts: readonly ReasoningEffort[] },
): ModelSettings {
  const { temperature, top_p: topP, max_output_tokens: maxOutputTokens, seed, stop } = parameters;
  const reasoning = (effort as ReasoningEffort | null) ?? parameters.reasoning_effort;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop === undefined ? {} : { stopSequences: stop }),
    ...(reasoning === undefined || !efforts.includes(reasoning) ? {} : { reasoning }),
  };
}
