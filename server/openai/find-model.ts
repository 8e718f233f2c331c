import type { ListedModel } from "#contract/endpoints/openai.ts";
import type { Assistants, ResolvedAssistant } from "../assistants/assistants.ts";
import { AppError } from "../lib/errors.ts";
import type { Visitor } from "../lib/route.ts";
import type { Model } from "../models/model.ts";
import type { Models } from "../models/models.ts";
import type { LocalRule } from "../runs/local-rule.ts";
import { modelOrDefault } from "../runs/loop/model-or-default.ts";

const assistantPrefix = "assistant/";

/** A model that a program names. With an assistant, its instructions and parameters apply. */
export type FoundModel = { model: Model; assistant: ResolvedAssistant | undefined };

export type FindModel = ReturnType<typeof createFindModel>;

/** The models and assistants of this server under the ids that programs use. */
export function createFindModel(options: { models: Models; assistants: Assistants; localRule: LocalRule }) {
  const { models, assistants, localRule } = options;
  return {
    /** Throws `model-not-found`, `assistant-not-found`, `model-not-local`. */
    async find({ projectId }: Visitor, id: string): Promise<FoundModel> {
      if (!id.startsWith(assistantPrefix)) return { model: await models.get(id), assistant: undefined };
      const assistantId = id.slice(assistantPrefix.length);
      await assistants.checkSelectable(projectId, assistantId);
      const assistant = await assistants.resolve(projectId, assistantId);
      const model = await modelOrDefault(models, assistant);
      const use = { projectId, threadId: null, assistantId };
      await localRule.check(model, use);
      return { model: await localRule.limit(model, use), assistant };
    },

    /** All models, then all assistants. */
    async list({ projectId }: Visitor): Promise<ListedModel[]> {
      const listed = (id: string, owner: string): ListedModel => ({
        id,
        object: "model",
        created: 0,
        owned_by: owner,
      });
      const [{ models: all }, ofProject] = await Promise.all([models.list(), assistants.list(projectId)]);
      return [
        ...all.map(({ id, provider }) => listed(id, provider)),
        ...ofProject.map(({ id }) => listed(`${assistantPrefix}${id}`, "parlance")),
      ];
    },
  };
}

/** Throws `model-not-found` if it is not in the list. */
export function findListed(list: readonly ListedModel[], id: string): ListedModel {
  const found = list.find((model) => model.id === id);
  if (found === undefined) throw new AppError("model-not-found");
  return found;
}
