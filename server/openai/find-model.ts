import type { ListedModel } from "#contract/endpoints/openai.ts";
import type { Assistants, ResolvedAssistant } from "../assistants/assistants.ts";
import { AppError } from "../lib/errors.ts";
import type { Visitor } from "../lib/route.ts";
import type { Estimate } from "../people/budgets/budgets.ts";
import type { Rights } from "../people/rights/rights.ts";
import type { Model } from "../models/model.ts";
import type { Models } from "../models/models.ts";
import { noAssistant, type ModelRules } from "../runs/model-rules.ts";
import { modelOrDefault } from "../runs/prepare/choose.ts";

const assistantPrefix = "assistant/";

/** A model that an API client names. With an assistant, its instructions, parameters and fallback model apply. */
export type FoundModel = { model: Model; assistant: ResolvedAssistant | undefined };

/** With what to reserve of the person's budgets; `undefined` without one. */
export type AskedModel = FoundModel & { estimate: Estimate | undefined };

export type FindModel = ReturnType<typeof createFindModel>;

/** The models and assistants of this server under the ids that API clients use. */
export function createFindModel(options: {
  models: Models;
  assistants: Assistants;
  modelRules: ModelRules;
  rights: Rights;
}) {
  const { models, assistants, modelRules, rights } = options;
  return {
    /**
     * Throws `model-not-found`, `assistant-not-found`, `model-not-allowed`, `assistant-not-allowed`, `model-not-local`,
     * `budget-used`.
     */
    async find(visitor: Visitor, id: string, inputTokens: () => number): Promise<AskedModel> {
      const { appId, workspaceId, userId } = visitor;
      const assistantId = id.startsWith(assistantPrefix) ? id.slice(assistantPrefix.length) : null;
      if (assistantId !== null) await assistants.checkSelectable(appId, assistantId);
      const assistant = assistantId === null ? undefined : await assistants.resolve(appId, assistantId);
      const model =
        assistant === undefined
          ? await models.get(id)
          : await modelOrDefault(models, assistant, (await rights.of(visitor)).model);
      const use = { appId, workspaceId, userId, threadId: null, assistantId };
      const known = { assistant: assistant ?? noAssistant, inputTokens };
      return { model, assistant, estimate: await modelRules.admit(model, use, known) };
    },

    /** All models that the person may use, then all assistants. */
    async list(visitor: Visitor): Promise<ListedModel[]> {
      const listed = (id: string, owner: string): ListedModel => ({
        id,
        object: "model",
        created: 0,
        owned_by: owner,
      });
      const [{ models: all }, ofApp, access] = await Promise.all([
        models.list(),
        assistants.list(visitor.appId),
        rights.of(visitor),
      ]);
      return [
        ...all.filter(({ id }) => access.model(id)).map(({ id, provider }) => listed(id, provider)),
        ...ofApp
          .filter(({ id }) => access.assistant(id))
          .map(({ id }) => listed(`${assistantPrefix}${id}`, "parlance")),
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
