import { useEffect, useMemo, useState } from "react";
import { useNavigate } from "@tanstack/react-router";
import type { Assistant } from "#contract/endpoints/assistants.ts";
import { defaultAssistantId } from "#contract/ids.ts";
import type { ModelInfo, ReasoningEffort } from "#contract/endpoints/models.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import { useAssistants } from "#web/data/assistants/assistants.ts";
import { useModels } from "#web/data/assistants/models.ts";
import type { AssistantChoice, ComparedModels } from "#web/data/outbox/outbox-entry.ts";
import { useSession } from "#web/data/session/session.ts";
import { isOfOthers } from "#web/data/threads/thread-list.ts";
import { useThreadActions } from "#web/data/threads/threads.ts";
import { usePreference, readPreference, setPreference } from "#web/preferences/preferences.ts";
import { showFailure } from "#web/ui/toast.tsx";
import { mayAnswer } from "./assistant-items.tsx";
import {
  defaultSelection,
  findAssistant,
  hasModel,
  resolveSelection,
  type Offer,
  type ResolvedSelection,
  type ComposerSelection,
} from "./resolve-selection.ts";

/** The assistant and model for the next message, the alternatives, and how to select one. */
export type AssistantAndModel = {
  assistants: readonly Assistant[];
  models: readonly ModelInfo[];
  /** Whether there is more than one assistant or model. Until they have loaded, the value of the last visit. */
  hasAlternatives: boolean;
  mayChange: boolean;
  /** The assistant that answers; `undefined` until it is known. */
  assistant: Assistant | undefined;
  model: string | undefined;
  /** Whether only local models may answer: the thread, the assistant or the server requires it. */
  isLocalOnly: boolean;
  /** Whether the thread or the server requires that, so that it holds for every assistant. */
  isLocalThread: boolean;
  /** The selected reasoning effort; null: the assistant's. */
  effort: ReasoningEffort | null;
  /** The selected assistant or model that no longer exists, so another one answers. */
  missing: ResolvedSelection["missing"];
  /** The selection that is sent with a message. */
  sent: AssistantChoice;
  /** The models that answer the next message side by side, if that was chosen. */
  compared: ComparedModels | undefined;
  /** The models that were chosen for that, but may not answer. */
  notCompared: readonly string[];
  compare: (compared: ComparedModels | undefined) => void;
  chooseAssistant: (id: string) => void;
  chooseModel: (id: string) => void;
  chooseEffort: (effort: ReasoningEffort | null) => void;
};

/** `thread`: undefined for a new chat, and until it is loaded. `linked`: the assistant in the address. */
export function useAssistantAndModel(
  thread: Thread | undefined,
  isNew: boolean,
  linked: string | undefined,
): AssistantAndModel {
  const { models, defaultModel, isLocalOnly, state: modelState } = useModels();
  const { assistants, mayChange, state: assistantState } = useAssistants();
  const isLoaded = modelState === "ready" && assistantState === "ready";
  const offer = { assistants, models, defaultModel, isLoaded };
  const { selection, isUnknown, select } = useSelection({ thread, isNew, linked, offer });
  const { assistant, model, missing, isModelGone } = resolveSelection(selection, offer);
  const isLocalThread = isLocalOnly || thread?.local_only === true;
  const onlyLocal = isLocalThread || assistant?.local_only === true;
  const [chosen, compare] = useState<ComparedModels>();
  return {
    assistants,
    models,
    hasAlternatives: useHasAlternatives(offer),
    mayChange,
    assistant,
    model,
    isLocalOnly: onlyLocal,
    isLocalThread,
    effort: selection.effort,
    missing,
    // Nothing is sent for a missing assistant or model: the server has the selection of the thread.
    sent: useAssistantChoice(
      isUnknown || missing === "assistant" ? undefined : selection.assistantId,
      isUnknown || isModelGone ? undefined : selection.model,
      isUnknown ? undefined : selection.effort,
    ),
    ...comparedOf(chosen, models, onlyLocal),
    compare,
    // An assistant comes with its own model.
    chooseAssistant: (id) =>
      select({ ...defaultSelection, assistantId: id === defaultAssistantId ? null : id }),
    chooseModel(id) {
      rememberRecent(id);
      const isAssistantGone = findAssistant(selection, offer) === undefined;
      select({ ...selection, assistantId: isAssistantGone ? null : selection.assistantId, model: id });
    },
    chooseEffort: (effort) => select({ ...selection, effort }),
  };
}

/** Without the models that may not answer; nothing is compared if fewer than two are left. */
function comparedOf(
  chosen: ComparedModels | undefined,
  models: readonly ModelInfo[],
  isLocalOnly: boolean,
): Pick<AssistantAndModel, "compared" | "notCompared"> {
  const notCompared = models
    .filter((model) => chosen?.models.includes(model.id) === true && !mayAnswer(model, isLocalOnly))
    .map(({ id }) => id);
  if (chosen === undefined || notCompared.length === 0) return { compared: chosen, notCompared };
  const allowed = chosen.models.filter((id) => !notCompared.includes(id));
  return { compared: allowed.length < 2 ? undefined : { ...chosen, models: allowed }, notCompared };
}

/**
 * In a thread: the selection stored with the thread. In a new chat: the one made here, else the assistant in the
 * address, else what this person's profile names, else the default assistant with the model that they chose last on this
 * device. `isUnknown` until the thread has loaded.
 */
function useSelection({
  thread,
  isNew,
  linked,
  offer,
}: {
  thread: Thread | undefined;
  isNew: boolean;
  linked: string | undefined;
  offer: Offer;
}): { selection: ComposerSelection; isUnknown: boolean; select: (next: ComposerSelection) => void } {
  const { me } = useSession();
  const actions = useThreadActions();
  const navigate = useNavigate();
  const [here, setHere] = useState<ComposerSelection & { linked: string | undefined }>();
  // A new link to an assistant overrides an earlier selection.
  const local = here?.linked === linked ? here : undefined;

  function current(): ComposerSelection {
    // In a thread of somebody else, the choice is for this person's own questions.
    if (thread !== undefined && !(isOfOthers(thread) && local !== undefined))
      return { assistantId: thread.assistant_id, model: thread.model, effort: thread.reasoning_effort };
    if (local !== undefined) return local;
    if (linked !== undefined) return { ...defaultSelection, assistantId: linked };
    if (!isNew) return defaultSelection;
    // What is gone was not selected for this chat, so the default replaces it silently.
    const { default_assistant_id: ownAssistant = null, default_model: ownModel = null } = me?.profile ?? {};
    const own = { ...defaultSelection, assistantId: ownAssistant };
    const assistantId = offer.isLoaded && findAssistant(own, offer) === undefined ? null : ownAssistant;
    // Another assistant comes with its own model.
    const model = assistantId === null ? (ownModel ?? lastModelOf(me?.user_id)) : null;
    const isGone = model !== null && offer.isLoaded && !hasModel(offer, model);
    return { ...defaultSelection, assistantId, model: isGone ? null : model };
  }

  function select(next: ComposerSelection): void {
    if (next.assistantId === null) rememberModel(me?.user_id, next.model);
    const link = isNew ? (next.assistantId ?? undefined) : linked;
    setHere({ ...next, linked: link });
    // In the address, the assistant of a new chat survives a reload, but not the next new chat.
    if (link !== linked)
      void navigate({
        to: "/",
        search: ({ assistant: _, ...rest }) => (link === undefined ? rest : { ...rest, assistant: link }),
        replace: true,
      });
    if (thread === undefined || isOfOthers(thread)) return;
    void actions
      .chooseAssistant(thread.id, {
        assistant_id: next.assistantId,
        model: next.model,
        reasoning_effort: next.effort,
      })
      .catch(showFailure);
  }

  return { selection: current(), isUnknown: !isNew && thread === undefined && local === undefined, select };
}

function useHasAlternatives({ assistants, models, isLoaded }: Offer): boolean {
  const [hadAlternatives, setHadAlternatives] = usePreference("hasModels");
  const hasAlternatives = isLoaded ? models.length > 1 || assistants.length > 1 : hadAlternatives;
  useEffect(() => {
    if (isLoaded && hasAlternatives !== hadAlternatives) setHadAlternatives(hasAlternatives);
  });
  return hasAlternatives;
}

/** The same object while its values are the same. */
function useAssistantChoice(
  assistantId: string | null | undefined,
  model: string | null | undefined,
  effort: ReasoningEffort | null | undefined,
): AssistantChoice {
  return useMemo(
    () => ({
      ...(assistantId === undefined ? {} : { assistantId }),
      ...(model === undefined ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
    }),
    [assistantId, model, effort],
  );
}

/** More people than usually share a browser. The least recent one is removed. */
const peopleMax = 8;

/** The model that this person last chose for the default assistant on this device; null for the default model. */
function lastModelOf(userId: string | undefined): string | null {
  const found = userId === undefined ? undefined : readPreference("lastModels")[userId];
  return typeof found === "string" ? found : null;
}

/** The models that were chosen last on this device are at the top of a long list. */
const recentMax = 3;

function rememberRecent(model: string): void {
  const others = readPreference("recentModels").filter((id) => id !== model);
  setPreference("recentModels", [model, ...others].slice(0, recentMax));
}

function rememberModel(userId: string | undefined, model: string | null): void {
  if (userId === undefined) return;
  const { [userId]: _, ...others } = readPreference("lastModels");
  const kept = Object.entries(others).slice(1 - peopleMax);
  setPreference("lastModels", Object.fromEntries([...kept, [userId, model]]));
}
