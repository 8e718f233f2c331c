import { defaultAssistantId } from "#contract/ids.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import { AppError } from "#server/lib/errors.ts";
import { onlyLocal } from "#server/models/local-only.ts";
import type { Model } from "#server/models/model.ts";
import type { RunRow } from "./rows.ts";
import type { Threads } from "#server/threads/threads.ts";

/** Where a model is to be used. */
type ModelUse = { projectId: string; threadId: string | null; assistantId: string | null };

export function modelUseOf(run: Pick<RunRow, "project_id" | "thread_id" | "assistant_id">): ModelUse {
  return { projectId: run.project_id, threadId: run.thread_id, assistantId: run.assistant_id };
}

export type LocalRule = ReturnType<typeof createLocalRule>;

/**
 * Limits models to the operator's own network where the thread, the assistant or the owner (`isEverywhere`) requires it.
 * No other model replaces one that is refused.
 */
export function createLocalRule(options: {
  threads: Pick<Threads, "isLocalOnly">;
  assistants: Pick<Assistants, "resolve">;
  isEverywhere: boolean;
}) {
  const { threads, assistants, isEverywhere } = options;

  async function applies({ projectId, threadId, assistantId }: ModelUse): Promise<boolean> {
    if (isEverywhere) return true;
    if (threadId !== null && (await threads.isLocalOnly(threadId))) return true;
    const { parameters } = await assistants.resolve(projectId, assistantId ?? defaultAssistantId);
    return parameters.local_only === true;
  }

  return {
    /** The model, whose requests fail if they would leave the network and the rule applies. */
    limit: async (model: Model, use: ModelUse): Promise<Model> =>
      (await applies(use)) ? onlyLocal(model) : model,
    /** Throws `model-not-local` before anything is stored, for a model that is known to be elsewhere. */
    async check(model: Model, use: ModelUse): Promise<void> {
      if ((await applies(use)) && (await model.isLocal?.()) === false) throw new AppError("model-not-local");
    },
  };
}
