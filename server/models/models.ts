import type { ModelInfo } from "#contract/endpoints/models.ts";
import { systemClock, type Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Model } from "./model.ts";
import { builtinInfo } from "./providers/builtin.ts";
import type { ProviderDeps, ProviderSettings } from "./providers/provider.ts";
import { providers as definitions } from "./providers/providers.ts";

export type ModelsOptions = {
  settings: ProviderSettings;
  clock?: Clock;
  fetch?: typeof fetch;
} & Pick<ProviderDeps, "logger" | "timeouts" | "wordMs">;

export type Models = ReturnType<typeof createModels>;

/** The models of this server. Only the providers that the settings enable are contacted. */
export function createModels({
  settings,
  clock = systemClock,
  fetch: fetchList = fetch,
  ...options
}: ModelsOptions) {
  let suggestedModel: string | undefined;
  const deps: ProviderDeps = { ...options, clock, fetch: fetchList, suggestedModel: () => suggestedModel };
  const providers = definitions.flatMap(({ createProvider }) => createProvider(settings, deps) ?? []);

  async function list(): Promise<ModelInfo[]> {
    const all = (await Promise.all(providers.map((provider) => provider.list()))).flat();
    const models = all.filter(({ id }, at) => all.findLastIndex((other) => other.id === id) === at);
    suggestedModel = models.find(({ id }) => id !== builtinInfo.id)?.name;
    return models;
  }

  async function find(id: string | undefined): Promise<Model> {
    for (const provider of id === undefined ? providers : providers.toReversed()) {
      const model = await provider.get(id);
      if (model !== undefined) return model;
    }
    throw new AppError("model-not-found");
  }

  return {
    /** Every model that people can choose, the built-in assistant last, and the id of the default one. */
    async list(): Promise<{ models: ModelInfo[]; default: string }> {
      const models = await list();
      return { models, default: models[0]!.id };
    },
    /** The model with this id, or the default one. Throws `AppError` "model-not-found". */
    async get(id: string | undefined): Promise<Model> {
      const model = await find(id);
      // The built-in assistant suggests another model.
      if (model.info.id === builtinInfo.id) void list();
      return model;
    },
    /** Requests the lists of models before the first question. */
    start(): void {
      // Providers log failures themselves. The next question tries again.
      void list();
    },
    /** Aborts the requests of `start`, `list` and `get`. */
    close(): void {
      for (const provider of providers) provider.close();
    },
  };
}
