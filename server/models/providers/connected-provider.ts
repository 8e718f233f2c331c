import type { ModelInfo, ModelInput } from "#contract/endpoints/models.ts";
import type { OfferedModel } from "#contract/endpoints/providers.ts";
import type { ProviderKindId } from "#contract/provider-kinds.ts";
import { createHostCheck, isLocalHost } from "#server/fetch/hosts.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { ModelInputRule } from "#server/settings/setting-types.ts";
import { presentFacts } from "./present-facts.ts";
import { kinds } from "../provider-kinds/kinds.ts";
import type { LocalOnly } from "../local-only.ts";
import { ModelError, type Model, type ModelName } from "../model.ts";
import { catalogueFacts } from "./lists/catalogue.ts";
import { givenFacts } from "./lists/given-facts.ts";
import { createModelFacts } from "./lists/model-facts.ts";
import { createModelList } from "./lists/model-list.ts";
import { labelOf } from "./model-label.ts";
import type { Provider } from "./provider.ts";
import type { ProviderConnection } from "./requests/provider-api.ts";
import { createEmbedder } from "./requests/embed.ts";
import { fetchFor } from "./fetch-for.ts";
import { createSdkModel } from "./requests/sdk-model.ts";
import type { ProviderTimeouts } from "./requests/watchdog.ts";

export type ConnectedProviderOptions = {
  /** The first part of its models' ids. */
  id: string;
  name: string;
  kind: ProviderKindId;
  /** The base URL is the one that people enter, without a slash at the end. */
  connection: ProviderConnection;
  offers: Offers;
  /** How long a list of models is fresh, and how long the request for it may take. */
  list: { freshMs: number; timeoutMs: number };
  /** The operator's rules for which files models read; the first that matches counts. */
  rules: readonly ModelInputRule[];
  /** Which files a model is assumed to read, if that differs from the kind's other providers. */
  usualInputs?: readonly ModelInput[] | undefined;
  onListFailure(error: ModelError): void;
  clock: Clock;
  fetch: typeof fetch;
  timeouts?: Partial<ProviderTimeouts> | undefined;
  /** Whether all requests to models must stay in the operator's own network now. */
  localOnly?: LocalOnly | undefined;
};

/** Which models people can choose. */
export type Offers =
  /** These, in this order, under these names; `name` is empty for the name in the list. */
  | { which: "chosen"; models: readonly OfferedModel[] }
  /**
   * Those that the server lists, after the configured one. If the server may be missing, they are offered only while it
   * can be reached, and the configured model only if it is listed. If it must not be missing, a failure shows when a
   * person asks. `isUnnamedOffered`: a server that lists no models is offered as one model without a name.
   */
  | { which: "listed"; configured?: string | undefined; mayBeMissing: boolean; isUnnamedOffered: boolean };

/** A failed request for the list is not repeated for 10 s. */
const retryMs = 10_000;

/** The id of the model of a server that lists none and has none configured. */
const unnamedId = "default";

/** A provider that is reached over HTTP. */
export function createConnectedProvider(options: ConnectedProviderOptions): Provider {
  const { id: provider, offers, clock } = options;
  const kind = kinds[options.kind];
  const { apiKey } = options.connection;
  const connection: ProviderConnection = {
    ...options.connection,
    baseUrl: kind.apiUrl?.(options.connection.baseUrl) ?? options.connection.baseUrl,
  };
  const fetch = fetchFor(connection, options.fetch);
  const configured = offers.which === "listed" ? offers.configured : undefined;
  const mayBeMissing = offers.which === "listed" && offers.mayBeMissing;
  const list = createModelList({
    request: kind.listRequest(connection),
    toOpenAiList: kind.toOpenAiList,
    apiKey,
    ...options.list,
    retryMs,
    fetch,
    clock,
    onFailure: options.onListFailure,
  });
  const { loadFacts } = kind;
  const facts = createModelFacts({
    rules: options.rules,
    usualInputs: options.usualInputs ?? kind.usualInputs,
    hasEfforts: kind.hasEfforts,
    given: (id) => givenFacts(findOffered(id)),
    catalogued: (id) => catalogueFacts(connection.baseUrl, id),
    list,
    clock,
    ...(loadFacts === undefined ? {} : { loadFacts: async (id) => await loadFacts(connection, id, fetch) }),
  });
  const isHostLocal = createHostCheck(connection.baseUrl, clock);
  const models = new Map<string, Model>();

  function findOffered(id: string): OfferedModel | undefined {
    return offers.which === "chosen" ? offers.models.find((model) => model.id === id) : undefined;
  }

  async function offeredIds(staleness?: "allow-stale"): Promise<string[]> {
    const listed = await list.load(mayBeMissing ? undefined : staleness);
    if (offers.which === "chosen") return offers.models.map(({ id }) => id);
    if (mayBeMissing && listed.failure !== undefined) return [];
    const listedIds = listed.models.map(({ id }) => id);
    const ids = listedIds.filter((id) => id !== configured);
    if (configured !== undefined && (!mayBeMissing || listedIds.includes(configured)))
      ids.unshift(configured);
    if (ids.length === 0 && offers.isUnnamedOffered) ids.push(unnamedId);
    return ids;
  }

  function getOrCreate(id: string): Model {
    let model = models.get(id);
    if (model === undefined) models.set(id, (model = createModel(id)));
    return model;
  }

  function infoOf(id: string, name: () => string): ModelName {
    return {
      id: `${provider}/${id}`,
      provider,
      provider_name: options.name,
      // The list of models can arrive later.
      get name() {
        return name();
      },
    };
  }

  function nameOf(id: string): string {
    return findOffered(id)?.name || (list.find(id)?.name ?? labelOf(id));
  }

  function createModel(id: string): Model {
    if (id === unnamedId && offers.which === "listed" && offers.isUnnamedOffered && configured === undefined)
      return createUnnamedModel();
    return createSdkModel({
      kind: options.kind,
      api: kind.api,
      connection,
      info: infoOf(id, () => nameOf(id)),
      modelId: id,
      facts: async () => await facts.load(id),
      async listedFacts() {
        await list.load("allow-stale");
        return await facts.load(id);
      },
      isRelayed: async () => kind.isRelayed?.(id) === true || (await facts.load(id)).isRelayed === true,
      localOnly: options.localOnly,
      onFilesRefused: (refusal) => facts.recordRefusal(id, refusal),
      onFilesAccepted: (files) => facts.recordAccepted(id, files),
      clock,
      timeouts: options.timeouts,
    });
  }

  /** Requests the list again for each answer and uses its first model. Throws why the list cannot be loaded. */
  function createUnnamedModel(): Model {
    return {
      info: infoOf(unnamedId, () => options.name),
      async facts() {
        const id = (await list.load()).models[0]?.id;
        return id === undefined ? { reads: [] } : await facts.load(id);
      },
      isLocal: async () => await isLocalHost(connection.baseUrl),
      async *stream(request, signal, observer) {
        const { models, failure } = await list.load();
        const id = models[0]?.id;
        if (id === undefined)
          throw (
            failure ??
            new ModelError("provider-refused", { cause: new Error("it lists no models; set OPENAI_MODEL") })
          );
        yield* getOrCreate(id).stream(request, signal, observer);
      },
    };
  }

  return {
    id: provider,
    async list() {
      const [ids, isOnLocalHost] = await Promise.all([offeredIds(), isHostLocal()]);
      return ids.map((id): ModelInfo => {
        const { info } = getOrCreate(id);
        const known = facts.known(id);
        const isRelayed = kind.isRelayed?.(id) === true || known.isRelayed === true;
        return { ...info, ...presentFacts(known), is_local: isOnLocalHost && !isRelayed };
      });
    },
    async get(id) {
      // The configured model, chosen models, and models that were listed before need no request.
      if (offers.which === "chosen") {
        const chosen = id === undefined ? offers.models[0] : offers.models.find((model) => model.id === id);
        return chosen && getOrCreate(chosen.id);
      }
      if (!mayBeMissing && configured !== undefined && (id ?? configured) === configured)
        return getOrCreate(configured);
      const existing = id === undefined ? undefined : models.get(id);
      if (existing !== undefined) return existing;
      const ids = await offeredIds("allow-stale");
      const found = id === undefined ? ids[0] : ids.find((offered) => offered === id);
      return found === undefined ? undefined : getOrCreate(found);
    },
    embedder(id) {
      const { createEmbeddingModel: createModel } = kind.api;
      return (
        createModel &&
        createEmbedder({
          createModel,
          connection,
          info: infoOf(id, () => nameOf(id)),
          modelId: id,
          isRelayed: kind.isRelayed?.(id) === true,
          localOnly: options.localOnly,
          timeouts: options.timeouts,
        })
      );
    },
    async listed() {
      const { models, failure } = await list.load();
      return { models, ...(failure === undefined ? {} : { problem: failure.code }) };
    },
    forgetList: () => list.forget(),
    close: () => list.close(),
  };
}
