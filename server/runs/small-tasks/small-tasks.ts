import type { Model } from "#server/models/model.ts";
import type { ModelSettingsStore, SmallTask } from "#server/models/model-settings.ts";
import type { Models } from "#server/models/models.ts";
import { builtinInfo } from "#server/models/providers/builtin.ts";
import {
  allows,
  limitToLocal,
  mayUse,
  type ModelRules,
  type ModelUse,
  type UseRules,
} from "../model-rules.ts";

/** Which model writes titles, summaries and suggestions. */
export type SmallTasks = {
  /** Whether models do this task automatically. */
  isOn(task: SmallTask): Promise<boolean>;
  /**
   * The owner's model for this task; the one that answers if there is none, if it no longer exists, or if it is remote
   * while only local models are allowed. Nothing that the built-in assistant answers is sent to a provider. `undefined` if
   * the person may use neither, or has used up a budget. A small task reserves nothing: nobody's next question waits for it.
   */
  model(task: SmallTask, answering: Model, use: ModelUse): Promise<Model | undefined>;
};

export function createSmallTasks(options: {
  settings: Pick<ModelSettingsStore, "isOn" | "modelFor">;
  models: Pick<Models, "get">;
  modelRules: ModelRules;
}): SmallTasks {
  const { settings, models, modelRules } = options;

  async function find(task: SmallTask, answering: Model, rules: UseRules): Promise<Model> {
    const id = await settings.modelFor(task);
    if (id === undefined || answering.info.id === builtinInfo.id) return answering;
    const small = await models.get(id).catch(() => undefined);
    return small !== undefined && (await allows(small, rules)) ? small : answering;
  }

  return {
    isOn: settings.isOn,
    async model(task, answering, use) {
      if (!(await modelRules.hasBudgetLeft(use))) return undefined;
      const rules = await modelRules.of(use);
      const model = await find(task, answering, rules);
      return mayUse(model, rules) ? limitToLocal(model, rules) : undefined;
    },
  };
}
