import { useEffect, useMemo, useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import type { Assistant } from "#contract/endpoints/assistants.ts";
import { defaultAssistantId } from "#contract/ids.ts";
import type { ModelInfo, ReasoningEffort } from "#contract/endpoints/models.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import { useAssistants } from "#web/data/assistants/assistants.ts";
import { useModels } from "#web/data/assistants/models.ts";
import type { AssistantChoice } from "#web/data/outbox/outbox-entry.ts";
import { useSession } from "#web/data/session/session.ts";
import type { ComparedModels } from "#web/data/threads/comparisons.ts";
import { useThreadActions } from "#web/data/threads/threads.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { showFailure } from "#web/ui/toast.tsx";
import { lastModelOf, rememberModel, rememberRecent } from "./last-model.ts";

/** The assistant and model for the next message, the alternatives, and how to select one. */
export type AssistantAndModel = {
  assistants: readonly Assistant[];
  models: readonly ModelInfo[];
  /** Whether there is more than one assistant or model. Until they have loaded, it is that of the last visit. */
  hasAlternatives: boolean;
  mayChange: boolean;
  /** The assistant that answers; `undefined` until it is known. */
  assistant: Assistant | undefined;
  model: string | undefined;
  /** The selected reasoning effort; null: as the assistant says. */
  effort: ReasoningEffort | null;
  /** The selected assistant or model that no longer exists, so another one answers. */
  missing: "assistant" | { model: string } | undefined;
  /** The selection that is sent with a message. */
  sent: AssistantChoice;
  /** The models that answer the next message side by side, if that was chosen. */
  compared: ComparedModels | undefined;
  compare: (compared: ComparedModels | undefined) => void;
  chooseAssistant: (id: string) => void;
  chooseModel: (id: string) => void;
  chooseEffort: (effort: ReasoningEffort | null) => void;
};

type Choice = { assistantId: string | null; model: string | null; effort: ReasoningEffort | null };

/**
 * In a thread: the selection stored with the thread. In a new chat: the one made here, else the assistant in the
 * address, else the default assistant with the model that this person chose last on this device.
 */
export function useAssistantAndModel(
  thread: Thread | undefined,
  isNew: boolean,
  linked: string | undefined,
): AssistantAndModel {
  const { models, defaultModel, state: modelState } = useModels();
  const { assistants, mayChange, state: assistantState } = useAssistants();
  const { me } = useSession();
  const actions = useThreadActions();
  const navigate = useNavigate();
  const [hadAlternatives, setHadAlternatives] = usePreference("hasModels");
  const [compared, compare] = useState<ComparedModels>();
  const [here, setHere] = useState<Choice & { linked: string | undefined }>();
  // A new link to an assistant overrides an earlier selection.
  const local = here?.linked === linked ? here : undefined;
  const isKnown = modelState === "ready" && assistantState === "ready";
  const hasAlternatives = isKnown ? models.length > 1 || assistants.length > 1 : hadAlternatives;
  useEffect(() => {
    if (isKnown && hasAlternatives !== hadAlternatives) setHadAlternatives(hasAlternatives);
  });

  const isAssistant = (id: string) => assistants.some((entry) => entry.id === id);
  const isModel = (id: string) => models.some((entry) => entry.id === id);
  const lastModel = lastModelOf(me?.user_id);
  const selection = currentSelection();
  const assistantId = selection.assistantId ?? defaultAssistantId;
  const assistant = assistants.find(
    ({ id }) => id === (isAssistant(assistantId) ? assistantId : defaultAssistantId),
  );
  const requestedModel = selection.model ?? assistant?.model ?? undefined;
  const model = requestedModel !== undefined && isModel(requestedModel) ? requestedModel : defaultModel;

  function currentSelection(): Choice {
    if (thread !== undefined)
      return { assistantId: thread.assistant_id, model: thread.model, effort: thread.reasoning_effort };
    if (local !== undefined) return local;
    if (linked !== undefined) return { assistantId: linked, model: null, effort: null };
    if (!isNew) return { assistantId: null, model: null, effort: null };
    // A model that is gone was not selected for this chat, so the default replaces it silently.
    return {
      assistantId: null,
      model: lastModel !== null && (!isKnown || isModel(lastModel)) ? lastModel : null,
      effort: null,
    };
  }

  function findMissing(): AssistantAndModel["missing"] {
    if (!isKnown) return undefined;
    if (!isAssistant(assistantId)) return "assistant";
    return requestedModel === undefined || isModel(requestedModel) ? undefined : { model: requestedModel };
  }

  // Nothing is sent for a missing assistant or model: the server has the selection of the thread.
  const isThreadUnknown = !isNew && thread === undefined && local === undefined;
  const isAssistantGone = isKnown && !isAssistant(assistantId);
  const isModelGone = isKnown && selection.model !== null && !isModel(selection.model);
  const sentAssistant = isThreadUnknown || isAssistantGone ? undefined : selection.assistantId;
  const sentModel = isThreadUnknown || isModelGone ? undefined : selection.model;
  const sentEffort = isThreadUnknown ? undefined : selection.effort;
  const sent = useMemo(
    (): AssistantChoice => ({
      ...(sentAssistant === undefined ? {} : { assistantId: sentAssistant }),
      ...(sentModel === undefined ? {} : { model: sentModel }),
      ...(sentEffort === undefined ? {} : { effort: sentEffort }),
    }),
    [sentAssistant, sentModel, sentEffort],
  );

  function choose(next: Choice): void {
    if (next.assistantId === null) rememberModel(me?.user_id, next.model);
    const link = isNew ? (next.assistantId ?? undefined) : linked;
    setHere({ ...next, linked: link });
    // In the address, the assistant of a new chat survives a reload, but not the next new chat.
    if (link !== linked)
      void navigate({ to: "/", search: link === undefined ? {} : { assistant: link }, replace: true });
    if (thread === undefined) return;
    void actions
      .chooseAssistant(thread.id, {
        assistant_id: next.assistantId,
        model: next.model,
        reasoning_effort: next.effort,
      })
      .catch(showFailure);
  }

  return {
    assistants,
    models,
    hasAlternatives,
    mayChange,
    assistant,
    model,
    effort: selection.effort,
    missing: findMissing(),
    sent,
    compared,
    compare,
    // An assistant comes with its own model.
    chooseAssistant: (id) =>
      choose({ assistantId: id === defaultAssistantId ? null : id, model: null, effort: null }),
    chooseModel(id) {
      rememberRecent(id);
      choose({
        ...selection,
        assistantId: isAssistant(assistantId) ? selection.assistantId : null,
        model: id,
      });
    },
    chooseEffort: (effort) => choose({ ...selection, effort }),
  };
}
