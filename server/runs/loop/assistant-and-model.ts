import { defaultAssistantId } from "#contract/ids.ts";
import { cleanText } from "#contract/text.ts";
import type { Assistants } from "#server/assistants/assistants.ts";
import type { Model } from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { ThreadSelection, Threads } from "#server/threads/threads.ts";
import { sameModel } from "./same-model.ts";

/** Who is to answer: what was chosen, what answers where that is gone, and what the thread is to remember of it. */
export type Chosen = {
  assistantId: string;
  /** The model that was chosen, and the one that there is. */
  modelId: string;
  model: Model;
  remember: Partial<ThreadSelection>;
};

/**
 * What a request asks for goes before what its thread remembers, that before the assistant's own model, and that before
 * the server's. Who asks for another assistant, and for no model, gets that assistant's. Throws `assistant-not-found` and
 * `model-not-found` for what is asked for by name; of what is only remembered and gone, another takes the place.
 */
export type Choose = (
  visitor: Pick<Visitor, "projectId" | "workspaceId">,
  threadId: string,
  asked: { assistant_id?: string | null | undefined; model?: string | null | undefined },
) => Promise<Chosen>;

export function createChoose(options: { assistants: Assistants; models: Models; threads: Threads }): Choose {
  const { assistants, models, threads } = options;
  return async (visitor, threadId, asked) => {
    const remembered = await threads.findSelection(visitor, threadId);
    const before = remembered?.assistantId ?? defaultAssistantId;
    const named =
      asked.assistant_id === null ? defaultAssistantId : asked.assistant_id && cleanText(asked.assistant_id);
    if (named !== undefined) await assistants.checkSelectable(visitor.projectId, named);
    const assistantId = named ?? before;
    const isAnother = assistantId !== before;
    const remember: Partial<ThreadSelection> = {
      ...(named === undefined ? {} : { assistantId: named === defaultAssistantId ? null : named }),
      ...(asked.model === undefined ? (isAnother ? { model: null } : {}) : { model: asked.model }),
    };
    if (asked.model != null)
      return { assistantId, modelId: asked.model, model: await models.get(asked.model), remember };
    const kept = asked.model === undefined && !isAnother ? remembered?.model : undefined;
    const wanted = kept ?? (await assistants.resolve(visitor.projectId, assistantId)).model;
    const model = await sameModel(models, { model: wanted });
    return { assistantId, modelId: wanted ?? model.info.id, model, remember };
  };
}
