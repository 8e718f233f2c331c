import type { Model } from "#server/models/model.ts";
import type { ModelSettingsStore, SmallTask } from "#server/models/model-settings.ts";
import type { Models } from "#server/models/models.ts";
import { builtinInfo } from "#server/models/providers/builtin.ts";
import type { ModelRules, ModelUse } from "../model-rules.ts";

/** Which model writes titles, summaries and suggestions. */
export type SmallTasks = {
  /** Whether models do this task automatically. */
  isOn(task: SmallTask): Promise<boolean>;
  /**
   * The owner's model for this task; the one that answers if there is none, if it no longer exists, or if it is remote
   * while only local models are allowed. Nothing that the built-in assistant answers is sent to a provider. `undefined` if
   * the person may use neither.
   */
  model(task: SmallTask, answering: Model, use: ModelUse): Promise<Model | undefined>;
};

export function createSmallTasks(options: {
  settings: Pick<ModelSettingsStore, "isOn" | "modelFor">;
  models: Pick<Models, "get">;
  modelRules: ModelRules;
}): SmallTasks {
  const { settings, models, modelRules } = options;

  async function find(task: SmallTask, answering: Model, use: ModelUse): Promise<Model> {
    const id = await settings.modelFor(task);
    if (id === undefined || answering.info.id === builtinInfo.id) return answering;
    const small = await models.get(id).catch(() => undefined);
    return small !== undefined && (await modelRules.allows(small, use)) ? small : answering;
  }

  return {
    isOn: settings.isOn,
    async model(task, answering, use) {
      const model = await find(task, answering, use);
      return (await modelRules.mayUse(model, use)) ? await modelRules.limitToLocal(model, use) : undefined;
    },
  };
}
