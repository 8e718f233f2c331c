import type { AssistantParameters } from "#contract/endpoints/assistants.ts";
import type { ReasoningEffort } from "#contract/endpoints/models.ts";
import type { ResolvedAssistant } from "#server/assistants/assistants.ts";
import type { Access } from "#server/people/rights/access.ts";
import type { ModelFacts, ModelSettings } from "#server/models/model.ts";

/** The assistant's tools, if the model can call tools. Names of tools that no longer exist are ignored. */
export function toolsOf<T extends { name: string }>(
  { tools }: ResolvedAssistant,
  all: readonly T[],
  facts: ModelFacts | undefined,
): T[] {
  if (facts?.tools === false) return [];
  return all.filter(({ name }) => tools === null || tools.includes(name));
}

/** Those of them that the next request has: the person may use them, and the thread does not hide their other threads. */
export function offeredTools<T extends { name: string; readsOtherThreads: boolean }>(
  assistant: ResolvedAssistant,
  all: readonly T[],
  {
    access,
    facts,
    hidesOtherThreads,
  }: { access: Pick<Access, "tool">; facts: ModelFacts | undefined; hidesOtherThreads: boolean },
): T[] {
  return toolsOf(assistant, all, facts).filter(
    ({ name, readsOtherThreads }) => access.tool(name) && !(hidesOtherThreads && readsOtherThreads),
  );
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
