import { defaultAssistantId } from "#contract/ids.ts";
import { cleanText } from "#contract/text.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import { isIdOf, type Model } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { ThreadSelection } from "#server/threads/thread-transactions.ts";
import type { Threads } from "#server/threads/threads.ts";
import type { LocalRule } from "../local-rule.ts";
import { modelOrDefault } from "./model-or-default.ts";

export type AssistantAndModel = {
  assistantId: string;
  /** The id of the chosen model. It differs from `model.info.id` if that model no longer exists. */
  modelId: string;
  model: Model;
  effort: string | null;
  /** What the thread stores of this choice. */
  remember: Partial<ThreadSelection>;
};

/**
 * Chooses in this order: the request, the thread's last choice, the assistant's own model, the server's default. A
 * request that changes the assistant and names no model gets the assistant's. Throws `assistant-not-found` and
 * `model-not-found` for ids in the request; a stored id that no longer exists is replaced by a default.
 */
export type ChooseAssistantAndModel = (
  visitor: Pick<Visitor, "projectId" | "workspaceId">,
  threadId: string,
  request: {
    assistant_id?: string | null | undefined;
    model?: string | null | undefined;
    reasoning_effort?: string | null | undefined;
    remember?: boolean | undefined;
  },
) => Promise<AssistantAndModel>;

export function createChooseAssistantAndModel(options: {
  assistants: Assistants;
  models: Models;
  threads: Threads;
  localRule: LocalRule;
}): ChooseAssistantAndModel {
  const { assistants, models, threads, localRule } = options;
  const choose: ChooseAssistantAndModel = async (visitor, threadId, request) => {
    const stored = await threads.findSelection(visitor, threadId);
    const previousId = stored?.assistantId ?? defaultAssistantId;
    const requestedId =
      request.assistant_id === null
        ? defaultAssistantId
        : request.assistant_id && cleanText(request.assistant_id);
    if (requestedId !== undefined) await assistants.checkSelectable(visitor.projectId, requestedId);
    const assistantId = requestedId ?? previousId;
    const isChanged = assistantId !== previousId;
    const effort =
      (request.reasoning_effort === undefined ? stored?.effort : request.reasoning_effort) ?? null;
    const remember: Partial<ThreadSelection> = {
      ...(request.reasoning_effort === undefined ? {} : { effort }),
      ...(requestedId === undefined
        ? {}
        : { assistantId: requestedId === defaultAssistantId ? null : requestedId }),
      ...(request.model === undefined ? (isChanged ? { model: null } : {}) : { model: request.model }),
    };
    if (request.model != null) {
      const model = await models.get(request.model);
      return {
        assistantId,
        modelId: model.info.id,
        model,
        effort,
        remember: { ...remember, model: model.info.id },
      };
    }
    const storedModel = request.model === undefined && !isChanged ? stored?.model : undefined;
    const modelId = storedModel ?? (await assistants.resolve(visitor.projectId, assistantId)).model;
    const model = await modelOrDefault(models, { model: modelId });
    const isFound = modelId === null || isIdOf(model, modelId);
    return { assistantId, modelId: isFound ? model.info.id : modelId, model, effort, remember };
  };
  return async (visitor, threadId, request) => {
    const chosen = await choose(visitor, threadId, request);
    const { projectId } = visitor;
    await localRule.check(chosen.model, { projectId, threadId, assistantId: chosen.assistantId });
    return request.remember === false ? { ...chosen, remember: {} } : chosen;
  };
}
