import type { ModelInfo } from "#contract/endpoints/models.ts";
import type { ProviderKindId } from "#contract/provider-kinds.ts";
import type { ProviderInfo } from "#contract/endpoints/providers.ts";
import { systemClock, type Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import { presentEnvironment } from "./stored-providers/present.ts";
import type { Model } from "./model.ts";
import { builtinInfo, createBuiltinProvider } from "./providers/builtin.ts";
import { createEnvironmentProvider, environmentProvider } from "./providers/environment.ts";
import type { Embedder } from "./providers/requests/embed.ts";
import type { ProviderConnection } from "./providers/requests/provider-api.ts";
import type { StoredProviders, Provider, ProviderDeps, ProviderSettings } from "./providers/provider.ts";

export type ModelsOptions = {
  settings: ProviderSettings;
  /** The providers that administrators added, and the id of the model that they chose as the default. */
  added?: () => Promise<StoredProviders>;
  clock?: Clock;
  fetch?: typeof fetch;
} & Pick<ProviderDeps, "logger" | "timeouts" | "localOnly" | "proxy">;

export type Models = ReturnType<typeof createModels>;

const noStoredProviders: StoredProviders = { providers: [], defaultModel: undefined };

/**
 * The models of this server. The id of a model is `provider/model`, except for the built-in assistant, whose id is
 * `builtin`. The order of the providers: the environment's, the stored ones, the built-in assistant.
 */
export function createModels({
  settings,
  added = async () => noStoredProviders,
  clock = systemClock,
  fetch: fetchList = fetch,
  ...options
}: ModelsOptions) {
  let suggestedModel: string | undefined;
  const environment = createEnvironmentProvider(settings, { ...options, clock, fetch: fetchList });
  const builtin = createBuiltinProvider(() => suggestedModel);

  async function current(): Promise<{ providers: Provider[]; defaultModel: string | undefined }> {
    const { providers, defaultModel } = await added();
    const all = [...(environment === undefined ? [] : [environment]), ...providers, builtin];
    return { providers: all, defaultModel };
  }

  async function list(): Promise<{ models: ModelInfo[]; default: string }> {
    const { providers, defaultModel } = await current();
    const models = (await Promise.all(providers.map((provider) => provider.list()))).flat();
    const first = models.find(({ id }) => id === defaultModel) ?? models[0]!;
    suggestedModel = first.id === builtinInfo.id ? undefined : first.name;
    return { models, default: first.id };
  }

  async function findDefault({ providers, defaultModel }: StoredProviders): Promise<Model> {
    const chosen = defaultModel === undefined ? undefined : await findIn(providers, defaultModel);
    if (chosen !== undefined) return chosen;
    for (const provider of providers) {
      const model = await provider.get(undefined);
      if (model !== undefined) return model;
    }
    throw new AppError("model-not-found");
  }

  return {
    /** Every model that people can choose, the built-in assistant last, and the id of the default one. */
    list,
    /**
     * The model with this id, or the default one. An id without a provider means the first provider that offers the model.
     * Throws `AppError` "model-not-found".
     */
    async get(id: string | undefined): Promise<Model> {
      const all = await current();
      const model = id === undefined ? await findDefault(all) : await findIn(all.providers, id);
      if (model === undefined) throw new AppError("model-not-found");
      // The built-in assistant suggests another model.
      if (model.info.id === builtinInfo.id) void list().catch(() => {});
      return model;
    },
    /**
     * The model that turns texts into vectors with this id, `provider/model`. Whether its server has the model is known
     * only after a request. Throws `AppError` "model-not-found" and "no-embeddings".
     */
    async getEmbedder(id: string): Promise<Embedder> {
      const { providers } = await current();
      const slash = id.indexOf("/");
      const provider = providers.find((each) => each.id === id.slice(0, slash));
      if (provider === undefined) throw new AppError("model-not-found");
      const embedder = provider.embedder(id.slice(slash + 1));
      if (embedder === undefined) throw new AppError("no-embeddings");
      return embedder;
    },
    /**
     * The environment's provider as administrators see it. None if there is none, or if it is an Ollama that does not
     * respond.
     */
    async environment(): Promise<ProviderInfo[]> {
      const found = environmentProvider(settings);
      if (environment === undefined || found === undefined) return [];
      const info = await presentEnvironment(found, environment);
      return found.kind === "ollama" && info.state !== "ready" ? [] : [info];
    },
    /** The URL and the kind of the environment's provider, if there is one. */
    environmentConnection(): ({ kind: ProviderKindId } & ProviderConnection) | undefined {
      const found = environmentProvider(settings);
      return found && { kind: found.kind, baseUrl: found.baseUrl, apiKey: undefined, proxy: options.proxy };
    },
    /** The models of the environment's provider have changed. */
    forgetEnvironmentList: (): void => environment?.forgetList(),
    /** Requests the lists of models before the first question. */
    start(): void {
      // Providers log failures themselves. The next question tries again.
      void list().catch(() => {});
    },
    /** Aborts the requests of `start`, `list` and `get`. */
    close(): void {
      environment?.close();
    },
  };
}

async function findIn(providers: readonly Provider[], id: string): Promise<Model | undefined> {
  const slash = id.indexOf("/");
  const named = providers.find((provider) => provider.id === id.slice(0, slash));
  const found = await named?.get(id.slice(slash + 1));
  if (found !== undefined) return found;
  // No provider can replace the built-in assistant.
  if (id === builtinInfo.id) return await providers.at(-1)!.get(id);
  for (const provider of providers) {
    const model = await provider.get(id);
    if (model !== undefined) return model;
  }
  return undefined;
}
