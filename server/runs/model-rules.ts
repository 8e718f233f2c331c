import { defaultAssistantId } from "#contract/ids.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import type { Budgets } from "#server/auth/budgets/budgets.ts";
import type { Access } from "#server/auth/rights/access.ts";
import type { PersonInWorkspace, Rights } from "#server/auth/rights/rights.ts";
import { AppError } from "#server/lib/errors.ts";
import { onlyLocal, type LocalOnly } from "#server/models/local-only.ts";
import type { Model } from "#server/models/model.ts";
import type { RunRow } from "./rows.ts";
import type { Threads } from "#server/threads/threads.ts";

/** Who uses a model, and where. */
export type ModelUse = PersonInWorkspace & {
  projectId: string;
  threadId: string | null;
  assistantId: string | null;
};

export function modelUseOf(
  run: Pick<RunRow, "project_id" | "workspace_id" | "user_id" | "thread_id" | "assistant_id">,
): ModelUse {
  return {
    projectId: run.project_id,
    workspaceId: run.workspace_id,
    userId: run.user_id,
    threadId: run.thread_id,
    assistantId: run.assistant_id,
  };
}

export type ModelRules = ReturnType<typeof createModelRules>;

/**
 * Which models may be used: those that the person's rights allow, with an assistant that they allow, and only those of the
 * operator's own network where the thread, the assistant or the owner (`isServerLocalOnly`) requires it. No other model
 * replaces one that is refused. A person whose budget is used up starts no run.
 */
export function createModelRules(options: {
  threads: Pick<Threads, "isLocalOnly">;
  assistants: Pick<Assistants, "resolve">;
  isServerLocalOnly: LocalOnly;
  rights: Pick<Rights, "ofPerson">;
  budgets: Pick<Budgets, "check">;
}) {
  const { threads, assistants, isServerLocalOnly, rights, budgets } = options;

  async function mustBeLocal({ projectId, threadId, assistantId }: ModelUse): Promise<boolean> {
    if (await isServerLocalOnly()) return true;
    if (threadId !== null && (await threads.isLocalOnly(threadId))) return true;
    const { parameters } = await assistants.resolve(projectId, assistantId ?? defaultAssistantId);
    return parameters.local_only === true;
  }

  const isLocalEnough = async (model: Model, use: ModelUse): Promise<boolean> =>
    !(await mustBeLocal(use)) || (await model.isLocal?.()) !== false;

  async function requireRights(model: Model, use: ModelUse): Promise<void> {
    const access = await rights.ofPerson(use);
    if (use.assistantId !== null && !access.assistant(use.assistantId))
      throw new AppError("assistant-not-allowed");
    if (!access.model(model.info.id)) throw new AppError("model-not-allowed");
  }

  async function checkRules(model: Model, use: ModelUse): Promise<void> {
    await requireRights(model, use);
    if (!(await isLocalEnough(model, use))) throw new AppError("model-not-local");
  }

  async function mayUse(model: Model, use: ModelUse): Promise<boolean> {
    const access = await rights.ofPerson(use);
    return access.model(model.info.id) && (use.assistantId === null || access.assistant(use.assistantId));
  }

  const limitToLocal = async (model: Model, use: ModelUse): Promise<Model> =>
    (await mustBeLocal(use)) ? onlyLocal(model) : model;

  return {
    /** Whether the person's rights allow the model and the assistant. */
    mayUse,
    /**
     * The model, whose requests fail if they would leave the network and must not. Throws `assistant-not-allowed` and
     * `model-not-allowed`, because rights can have changed since the answer was asked for.
     */
    async limit(model: Model, use: ModelUse): Promise<Model> {
      await requireRights(model, use);
      return await limitToLocal(model, use);
    },
    /** Like `limit` without the rights: an answer that has begun is finished although its person has lost them. */
    limitToLocal,
    /** Whether the model may be used here, as far as it is known before a request is sent. */
    allows: async (model: Model, use: ModelUse): Promise<boolean> =>
      (await mayUse(model, use)) && (await isLocalEnough(model, use)),
    /**
     * Throws before anything is stored: `assistant-not-allowed`, `model-not-allowed`, and `model-not-local` for a model
     * that is known to be outside the operator's network.
     */
    checkRules,
    /** The same before a run starts: also throws `budget-used`. Runs that have begun are finished. */
    async check(model: Model, use: ModelUse): Promise<void> {
      await checkRules(model, use);
      await budgets.check(use);
    },
    /** Throws `budget-used`. */
    checkBudget: budgets.check,
    /** What the person may use. */
    accessOf: async (person: PersonInWorkspace): Promise<Access> => await rights.ofPerson(person),
  };
}
