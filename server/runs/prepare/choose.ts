import { defaultAssistantId, idAtProvider } from "#contract/ids.ts";
import type { RunNote } from "#contract/run-events.ts";
import { cleanText } from "#contract/text.ts";
import type { Assistants, ResolvedAssistant } from "#server/assistants/assistants.ts";
import type { Estimate } from "#server/people/budgets/budgets.ts";
import type { Access } from "#server/people/rights/access.ts";
import { AppError } from "#server/lib/errors.ts";
import { isIdOf, type Model } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { ThreadSelection } from "#server/threads/thread-transactions.ts";
import type { Threads } from "#server/threads/threads.ts";
import type { ModelRules } from "../model-rules.ts";
import { tokensOfJson } from "../requests/estimate-usage.ts";
import type { RunRow } from "../rows.ts";

export type AssistantAndModel = {
  assistantId: string;
  /** The id of the chosen model. It differs from `model.info.id` if that model no longer exists. */
  modelId: string;
  model: Model;
  effort: string | null;
  /** What the thread stores of this choice. */
  remember: Partial<ThreadSelection>;
  /** What to reserve of the person's budgets; `undefined` without one. */
  estimate: Estimate | undefined;
};

/**
 * Chooses in this order: the request, the thread's last choice, the assistant's own model, the server's default. A
 * request that changes the assistant and names no model gets the assistant's. What the person may not use is replaced by a
 * default, except in the request. Throws `assistant-not-found` and
 * `model-not-found` for ids in the request; a stored id that no longer exists is replaced by a default. Throws
 * `assistant-not-allowed`, `model-not-allowed` and `model-not-local` for what may not be used, and `budget-used` unless
 * nothing is asked (`isPreview`).
 */
export type ChooseAssistantAndModel = (
  visitor: Pick<Visitor, "appId" | "workspaceId" | "userId" | "memberAccess">,
  threadId: string,
  request: {
    assistant_id?: string | null | undefined;
    model?: string | null | undefined;
    reasoning_effort?: string | null | undefined;
    remember?: boolean | undefined;
    /** What is asked. */
    message?: object | undefined;
    isPreview?: true;
  },
) => Promise<AssistantAndModel>;

export function createChooseAssistantAndModel(options: {
  assistants: Assistants;
  models: Models;
  threads: Threads;
  modelRules: ModelRules;
}): ChooseAssistantAndModel {
  const { assistants, models, threads, modelRules } = options;

  async function choose(
    { appId }: Pick<Visitor, "appId">,
    request: Parameters<ChooseAssistantAndModel>[2],
    stored: ThreadSelection | undefined,
    access: Access,
  ): Promise<{ chosen: Omit<AssistantAndModel, "estimate">; assistant: ResolvedAssistant }> {
    // What the thread chose earlier is replaced if the person may no longer use it.
    const storedId = stored?.assistantId ?? defaultAssistantId;
    const previousId = access.assistant(storedId) ? storedId : defaultAssistantId;
    const requestedId =
      request.assistant_id === null
        ? defaultAssistantId
        : request.assistant_id && cleanText(request.assistant_id);
    if (requestedId !== undefined) await assistants.checkSelectable(appId, requestedId);
    const assistantId = requestedId ?? previousId;
    const assistant = await assistants.resolve(appId, assistantId);
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
      const modelId = model.info.id;
      const chosen = { assistantId, modelId, model, effort, remember: { ...remember, model: modelId } };
      return { chosen, assistant };
    }
    const keepsModel = request.model === undefined && !isChanged && previousId === storedId;
    const storedModel = keepsModel ? stored?.model : undefined;
    const modelId = storedModel ?? assistant.model;
    const model = await modelOrDefault(models, { model: modelId }, access.model);
    // The run says if its model no longer exists.
    const isGone = modelId !== null && access.model(modelId) && !isIdOf(model, modelId);
    const chosen = { assistantId, modelId: isGone ? modelId : model.info.id, model, effort, remember };
    return { chosen, assistant };
  }

  return async (visitor, threadId, request) => {
    const stored = await threads.findSelection(visitor, threadId);
    const access = await modelRules.accessOf(visitor);
    const { chosen, assistant } = await choose(visitor, request, stored, access);
    const { appId, workspaceId, userId } = visitor;
    const use = { appId, workspaceId, userId, threadId, assistantId: chosen.assistantId };
    const isThreadLocalOnly = stored?.isLocalOnly ?? false;
    const inputTokens = request.isPreview === true ? undefined : () => tokensOfJson(request.message);
    const known = { access, assistant, isThreadLocalOnly, inputTokens };
    const estimate = await modelRules.admit(chosen.model, use, known);
    // A member's choice applies to their own question; only the owner's choice is stored with the thread.
    const isRemembered = request.remember !== false && visitor.memberAccess === undefined;
    return { ...chosen, estimate, ...(isRemembered ? {} : { remember: {} }) };
  };
}

/**
 * The model that a run names. If it names none, or one that no longer exists or that the person may not use: the default
 * model, or else the first one that they may use. The default model also if they may use none, so that it is refused.
 */
export async function modelOrDefault(
  models: Pick<Models, "get" | "list">,
  { model }: Pick<RunRow, "model"> | { model: null },
  mayUse: (id: string) => boolean = () => true,
): Promise<Model> {
  const found = model === null ? undefined : await models.get(model).catch(undefinedIfNotFound);
  if (found !== undefined && mayUse(found.info.id)) return found;
  const first = await models.get(undefined);
  if (mayUse(first.info.id)) return first;
  const allowed = (await models.list()).models.find(({ id }) => mayUse(id));
  return allowed === undefined ? first : await models.get(allowed.id);
}

function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof AppError && error.code === "model-not-found") return undefined;
  throw error;
}

/**
 * The current settings of a run's assistant. If the assistant or the model no longer exists, `notes` say so to the person
 * and `replacement` has the new values for the run's row.
 */
export async function resolveAssistant(
  assistants: Assistants,
  run: Pick<RunRow, "app_id" | "assistant_id" | "model"> & Partial<Pick<RunRow, "comparison_id">>,
  model: Model,
): Promise<{
  assistant: ResolvedAssistant;
  notes: RunNote[];
  replacement: { assistant_id: string; model: string } | undefined;
}> {
  // A comparison is of the chosen models, so no other one answers instead.
  if (run.comparison_id != null && run.model !== null && !isIdOf(model, run.model))
    throw new AppError("model-not-found");
  const assistant = await assistants.resolve(run.app_id, run.assistant_id ?? defaultAssistantId);
  const notes: RunNote[] = [];
  if (assistant.replaces !== undefined) notes.push({ kind: "assistant-gone", name: assistant.replaces });
  if (run.model !== null && !isIdOf(model, run.model))
    notes.push({ kind: "model-gone", name: idAtProvider(run.model) });
  const replacement = notes.length === 0 ? undefined : { assistant_id: assistant.id, model: model.info.id };
  return { assistant, notes, replacement };
}
