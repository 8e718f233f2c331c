import type { ModelInfo, ModelInput } from "#contract/endpoints/models.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { ModelInputRule } from "#server/settings/setting-types.ts";
import { ModelError, type Model, type ModelName } from "../../model.ts";
import type { Provider } from "../provider.ts";
import type { ListedFacts } from "./listed-facts.ts";
import { createModelFacts } from "./model-facts.ts";
import { labelOf } from "../model-label.ts";
import { createModelList } from "./model-list.ts";
import { createChatCompletionsModel } from "./model.ts";
import type { ProviderTimeouts } from "./watchdog.ts";

export type ChatCompletionsOptions = {
  /** The provider's id in the list of models. */
  id: string;
  /** With the version and without a slash at the end: `https://api.openai.com/v1`. No other host is contacted. */
  baseUrl: string;
  apiKey?: string | undefined;
  configuredModel: string | undefined;
  /**
   * Whether the server may be missing. If so, its models are offered only while it can be reached, and the configured
   * model only if it is listed. Otherwise they are always offered, and a failure shows when a person asks.
   */
  isOptional: boolean;
  /** How long a list of models is fresh, and how long the request for it may take. */
  list: { freshMs: number; timeoutMs: number };
  /** The operator's rules for which files models read; the first that matches counts. */
  rules: readonly ModelInputRule[];
  /** Which files a model is assumed to read if nothing is known about it. */
  usualInputs: readonly ModelInput[];
  /** Requests what the server reports about one model. */
  loadFacts?: (id: string) => Promise<ListedFacts | undefined>;
  onListFailure(error: ModelError): void;
  clock: Clock;
  fetch: typeof fetch;
  timeouts?: Partial<ProviderTimeouts> | undefined;
};

/** A failed request for the list is not repeated for 10 s. */
const retryMs = 10_000;

/** The id of the model of a server that lists none and has none configured. */
const unnamedId = "default";

/** A provider whose server has OpenAI's API: `GET /models` and `POST /chat/completions`. */
export function createChatCompletionsProvider(options: ChatCompletionsOptions): Provider {
  const { id: provider, baseUrl, apiKey, configuredModel, isOptional, clock } = options;
  const list = createModelList({
    baseUrl,
    apiKey,
    ...options.list,
    retryMs,
    fetch: options.fetch,
    clock,
    onFailure: options.onListFailure,
  });
  const facts = createModelFacts({
    rules: options.rules,
    usualInputs: options.usualInputs,
    list,
    clock,
    loadFacts: options.loadFacts,
  });
  const models = new Map<string, Model>();

  async function offeredIds(staleness?: "allow-stale"): Promise<string[]> {
    const listed = await list.load(isOptional ? undefined : staleness);
    if (isOptional && listed.failure !== undefined) return [];
    const listedIds = listed.models.map(({ id }) => id);
    const ids = listedIds.filter((id) => id !== configuredModel);
    if (configuredModel !== undefined && (!isOptional || listedIds.includes(configuredModel)))
      ids.unshift(configuredModel);
    if (ids.length === 0 && !isOptional) ids.push(unnamedId);
    return ids;
  }

  function getOrCreate(id: string): Model {
    let model = models.get(id);
    if (model === undefined) models.set(id, (model = createModel(id)));
    return model;
  }

  function createModel(id: string): Model {
    if (id === unnamedId && configuredModel === undefined) return createUnnamedModel();
    return createChatCompletionsModel({
      info: {
        id,
        provider,
        // The list of models can arrive later.
        get name() {
          return list.find(id)?.name ?? labelOf(id);
        },
      },
      baseUrl,
      apiKey,
      facts: async () => await facts.load(id),
      onFilesRefused: (refusal) => facts.recordRefusal(id, refusal),
      onFilesAccepted: (files) => facts.recordAccepted(id, files),
      clock,
      timeouts: options.timeouts,
    });
  }

  /** Requests the list again for each answer and uses its first model. Throws why the list cannot be loaded. */
  function createUnnamedModel(): Model {
    const name = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : unnamedId;
    const info: ModelName = { id: unnamedId, name, provider };
    return {
      info,
      async facts() {
        const id = (await list.load()).models[0]?.id;
        return id === undefined ? { reads: [] } : await facts.load(id);
      },
      async *stream(request, signal) {
        const { models, failure } = await list.load();
        const id = models[0]?.id;
        if (id === undefined)
          throw (
            failure ??
            new ModelError("provider-refused", { cause: new Error("it lists no models; set OPENAI_MODEL") })
          );
        yield* getOrCreate(id).stream(request, signal);
      },
    };
  }

  return {
    async list() {
      const ids = await offeredIds();
      return ids.map((id): ModelInfo => {
        const { info } = getOrCreate(id);
        return { ...info, reads: [...facts.known(id).reads] };
      });
    },
    async get(id) {
      // The configured model, and models that were listed before, need no request.
      if (!isOptional && configuredModel !== undefined && (id ?? configuredModel) === configuredModel)
        return getOrCreate(configuredModel);
      const existing = id === undefined ? undefined : models.get(id);
      if (existing !== undefined) return existing;
      const ids = await offeredIds("allow-stale");
      const found = id === undefined ? ids[0] : ids.find((offered) => offered === id);
      return found === undefined ? undefined : getOrCreate(found);
    },
    close: () => list.close(),
  };
}
