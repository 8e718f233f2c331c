import { useEffect, useMemo, useState } from "react";
import type { Assistant } from "#contract/endpoints/assistants.ts";
import { defaultAssistantId } from "#contract/ids.ts";
import type { ModelInfo } from "#contract/endpoints/models.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import { useAssistants } from "#web/data/assistants/assistants.ts";
import { failureOf } from "#web/data/failure.ts";
import { useModels } from "#web/data/assistants/models.ts";
import type { AssistantChoice } from "#web/data/outbox/outbox-entry.ts";
import { useSession } from "#web/data/session/session.ts";
import { useThreadActions } from "#web/data/threads/threads.ts";
import { usePreference } from "#web/preferences/preferences.ts";
import { showToast } from "#web/ui/toast.tsx";
import { lastChoiceOf, rememberChoice } from "./last-choice.ts";

/** Who answers what is sent next, who else could, and how to choose. */
export type Answerer = {
  assistants: readonly Assistant[];
  models: readonly ModelInfo[];
  /** There is more than one of either; known from the last visit before they are. */
  isChoice: boolean;
  mayChange: boolean;
  /** Who answers now; absent until that is known. */
  assistant: Assistant | undefined;
  model: string | undefined;
  /** What was chosen and is not there any more: another answers in its place. */
  gone: "assistant" | { model: string } | undefined;
  /** What goes along with a message. */
  sent: AssistantChoice;
  chooseAssistant: (id: string) => void;
  chooseModel: (id: string) => void;
};

type Choice = { assistantId: string | null; model: string | null };

/**
 * Of a thread it is the thread's own, on every device; of a new chat what is chosen here, else the assistant that the
 * address names, else what this person chose last on this device.
 */
export function useAnswerer(
  thread: Thread | undefined,
  isNew: boolean,
  linked: string | undefined,
): Answerer {
  const { models, defaultModel, state: modelState } = useModels();
  const { assistants, mayChange, state: assistantState } = useAssistants();
  const { me } = useSession();
  const actions = useThreadActions();
  const [hadChoice, setHadChoice] = usePreference("hasModels");
  const [here, setHere] = useState<Choice & { linked: string | undefined }>();
  // Whoever follows another link means that one.
  const local = here?.linked === linked ? here : undefined;
  const isKnown = modelState === "ready" && assistantState === "ready";
  const isChoice = isKnown ? models.length > 1 || assistants.length > 1 : hadChoice;
  useEffect(() => {
    if (isKnown && isChoice !== hadChoice) setHadChoice(isChoice);
  });

  const isAssistant = (id: string) => assistants.some((one) => one.id === id);
  const isModel = (id: string) => models.some((one) => one.id === id);
  const last = lastChoiceOf(me?.user_id);
  const chosen = chosenOf();
  const assistantId = chosen.assistantId ?? defaultAssistantId;
  const assistant = assistants.find(
    ({ id }) => id === (isAssistant(assistantId) ? assistantId : defaultAssistantId),
  );
  const wanted = chosen.model ?? assistant?.model ?? undefined;
  const model = wanted !== undefined && isModel(wanted) ? wanted : defaultModel;

  function chosenOf(): Choice {
    if (thread !== undefined) return { assistantId: thread.assistant_id, model: thread.model };
    if (local !== undefined) return { assistantId: local.assistantId, model: local.model };
    if (linked !== undefined) return { assistantId: linked, model: null };
    if (!isNew) return { assistantId: null, model: null };
    // What is gone was not chosen for this chat, so there is nothing to say of it.
    const isThere = last.assistantId === null || !isKnown || isAssistant(last.assistantId);
    return {
      assistantId: isThere ? last.assistantId : null,
      model: last.model !== null && isThere && (!isKnown || isModel(last.model)) ? last.model : null,
    };
  }

  function goneOf(): Answerer["gone"] {
    if (!isKnown) return undefined;
    if (!isAssistant(assistantId)) return "assistant";
    return wanted === undefined || isModel(wanted) ? undefined : { model: wanted };
  }

  // Of what is gone nothing is said: the service knows what the thread remembers.
  const isUnread = !isNew && thread === undefined && local === undefined;
  const isAssistantGone = isKnown && !isAssistant(assistantId);
  const isModelGone = isKnown && chosen.model !== null && !isModel(chosen.model);
  const sentAssistant = isUnread || isAssistantGone ? undefined : chosen.assistantId;
  const sentModel = isUnread || isModelGone ? undefined : chosen.model;
  const sent = useMemo(
    (): AssistantChoice => ({
      ...(sentAssistant === undefined ? {} : { assistantId: sentAssistant }),
      ...(sentModel === undefined ? {} : { model: sentModel }),
    }),
    [sentAssistant, sentModel],
  );

  function choose(next: Choice): void {
    rememberChoice(me?.user_id, next);
    setHere({ ...next, linked });
    if (thread === undefined) return;
    void actions
      .choose(thread.id, { assistant_id: next.assistantId, model: next.model })
      .catch((error: unknown) => showToast(failureOf(error).message, { tone: "loss" }));
  }

  return {
    assistants,
    models,
    isChoice,
    mayChange,
    assistant,
    model,
    gone: goneOf(),
    sent,
    // With its own model, unless one is chosen after it.
    chooseAssistant: (id) => choose({ assistantId: id === defaultAssistantId ? null : id, model: null }),
    chooseModel: (id) =>
      choose({ assistantId: isAssistant(assistantId) ? chosen.assistantId : null, model: id }),
  };
}
