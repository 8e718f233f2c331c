import type { Assistant } from "#contract/endpoints/assistants.ts";
import { defaultAssistantId } from "#contract/ids.ts";
import type { ModelInfo, ReasoningEffort } from "#contract/endpoints/models.ts";

/** Null: the default assistant, and the assistant's model and effort. */
export type ComposerSelection = {
  assistantId: string | null;
  model: string | null;
  effort: ReasoningEffort | null;
};

export const defaultSelection: ComposerSelection = { assistantId: null, model: null, effort: null };

/** What can be selected. */
export type Offer = {
  assistants: readonly Assistant[];
  models: readonly ModelInfo[];
  defaultModel: string | undefined;
  /** Whether both lists have loaded. */
  isLoaded: boolean;
};

/** The assistant and model that answer for a selection, and which part of it no longer exists. */
export type ResolvedSelection = {
  /** Undefined until the assistants have loaded. */
  assistant: Assistant | undefined;
  model: string | undefined;
  /** What is replaced by a default: the assistant, or the model that it or the selection names. */
  missing: "assistant" | { model: string } | undefined;
  isModelGone: boolean;
};

export function resolveSelection(selection: ComposerSelection, offer: Offer): ResolvedSelection {
  const { assistants, defaultModel, isLoaded } = offer;
  const selected = findAssistant(selection, offer);
  const assistant = selected ?? assistants.find(({ id }) => id === defaultAssistantId);
  const requestedModel = selection.model ?? assistant?.model ?? undefined;
  const isModelMissing = requestedModel !== undefined && !hasModel(offer, requestedModel);
  return {
    assistant,
    model: isModelMissing ? defaultModel : (requestedModel ?? defaultModel),
    missing: !isLoaded
      ? undefined
      : selected === undefined
        ? "assistant"
        : isModelMissing
          ? { model: requestedModel }
          : undefined,
    isModelGone: isLoaded && selection.model !== null && isModelMissing,
  };
}

/** The selected assistant, if it exists. */
export function findAssistant(
  { assistantId }: ComposerSelection,
  { assistants }: Offer,
): Assistant | undefined {
  return assistants.find(({ id }) => id === (assistantId ?? defaultAssistantId));
}

export function hasModel({ models }: Offer, id: string): boolean {
  return models.some((model) => model.id === id);
}
