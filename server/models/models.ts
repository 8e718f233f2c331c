import type { ModelInfo } from "#contract/endpoints/models.ts";
import { systemClock, type Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import { createConnection, type Connection, type Listed } from "./connection.ts";
import { ModelError, type Model, type ModelName } from "./model.ts";
import { showOfOllama } from "./ollama-show.ts";
import { createBuiltin } from "./providers/builtin.ts";
import { createOpenAiCompatible } from "./providers/openai-compatible.ts";
import type { Patience } from "./providers/openai-compatible/line.ts";
import { createWhatModelsRead, type WhatModelsRead } from "./what-models-read.ts";
import type { ReadsRule } from "../settings/kinds.ts";

export type Models = {
  /** Every model that may be chosen, the built-in assistant last, and which one serves when none is chosen. */
  list(): Promise<{ models: ModelInfo[]; default: string }>;
  /** The model of `id`, or the default one. Throws `AppError` "model-not-found". */
  get(id: string | undefined): Promise<Model>;
  /** Looks for models ahead of the first question. */
  start(): void;
  /** Ends what `start`, `list` and `get` have under way. */
  close(): void;
};

export type ModelsOptions = {
  openai: { apiKey?: string | undefined; baseUrl?: string | undefined; model?: string | undefined };
  /** Where an Ollama of this machine is looked for; `undefined` to look nowhere. */
  ollamaUrl: string | undefined;
  /** What the operator says that models read; the first that speaks of a model counts. */
  reads?: readonly ReadsRule[];
  logger: Pick<Logger, "warn">;
  /** For lists of models. */
  fetch?: typeof fetch;
  clock?: Clock;
  /** For tests: how much is borne of a provider. */
  patience?: Partial<Patience>;
  /** The pace of the built-in assistant; that of a reader where it is not said. */
  wordMs?: number;
  builtin?: Model;
};

/** Models come and go rarely at a provider: a minute old is fresh. A failure is believed for 10 s. */
const freshMs = 60_000;
const retryMs = 10_000;
const listTimeoutMs = 2_000;
/** An Ollama is on this machine or not at all: half a second is plenty, and a person waits for it. */
const ollamaTimeoutMs = 500;
const ollamaFreshMs = 10_000;

/** The id under which a provider serves that names no models and for which none was set. */
const unnamedId = "default";

/**
 * The models of this server. With a base URL or a key set it is that provider; with neither an Ollama of this machine,
 * if one is running; with none of them the built-in assistant. Nothing else is contacted, ever.
 */
export function createModels(options: ModelsOptions): Models {
  let defaultName: string | undefined;
  const builtin =
    options.builtin ??
    createBuiltin({
      connected: () => defaultName,
      ...(options.wordMs === undefined ? {} : { wordMs: options.wordMs }),
      ...(options.clock === undefined ? {} : { clock: options.clock }),
    });
  const provider = providerOf(options);
  const connection = provider && connect(provider, options);
  const whatTheyRead = provider && connection && knowing(provider, connection, options);
  const models = new Map<string, Model>();

  async function available(hurried?: "hurried"): Promise<{ ids: string[]; defaultId: string }> {
    if (provider === undefined || connection === undefined) return { ids: [], defaultId: builtin.info.id };
    const ids = idsToOffer(provider, await connection.list(provider.kind === "ollama" ? undefined : hurried));
    const [defaultId] = ids;
    defaultName = defaultId === undefined ? undefined : nameOf(defaultId, provider);
    return { ids, defaultId: defaultId ?? builtin.info.id };
  }

  function idsToOffer(provider: Provider, listed: Listed): string[] {
    const wanted = provider.model;
    // A configured model serves whether or not it is listed; for Ollama it only chooses among what is there.
    const listedIds = listed.models.map(({ id }) => id);
    const ids = listedIds.filter((id) => id !== builtin.info.id && id !== wanted);
    if (wanted !== undefined && (provider.kind !== "ollama" || listedIds.includes(wanted)))
      ids.unshift(wanted);
    // An Ollama that is gone is not offered, though what has begun with it may go on.
    if (provider.kind === "ollama" && listed.failure !== undefined) return [];
    if (provider.kind !== "ollama" && ids.length === 0) ids.push(unnamedId);
    return ids;
  }

  function presentModel(info: ModelName): ModelInfo {
    const reads = info.id === builtin.info.id ? [] : (whatTheyRead?.known(info.id).reads ?? []);
    return { ...info, reads: [...reads] };
  }

  function modelOf(id: string): Model {
    let model = models.get(id);
    if (model === undefined) {
      model = provider === undefined ? builtin : newModel(id, provider);
      models.set(id, model);
    }
    return model;
  }

  function newModel(id: string, provider: Provider): Model {
    const { baseUrl, apiKey } = provider;
    const info = { id, name: nameOf(id, provider), provider: provider.kind };
    if (id === unnamedId && provider.model === undefined) return unnamed(info);
    return createOpenAiCompatible({
      info,
      baseUrl,
      apiKey,
      ...(whatTheyRead === undefined
        ? {}
        : {
            facts: async () => await whatTheyRead.of(id),
            refused: (refusal) => whatTheyRead.refused(id, refusal),
            accepted: (taken) => whatTheyRead.accepted(id, taken),
          }),
      ...(options.clock === undefined ? {} : { clock: options.clock }),
      ...(options.patience === undefined ? {} : { patience: options.patience }),
    });
  }

  /** A provider whose models could not be listed is asked again when it is to answer, and says then why it cannot. */
  function unnamed(info: ModelName): Model {
    return {
      info,
      facts: async () => {
        const id = (await connection?.list())?.models[0]?.id;
        return id === undefined ? { reads: [] } : ((await modelOf(id).facts?.()) ?? { reads: [] });
      },
      async *stream(request, signal) {
        const listed = await connection?.list();
        const id = listed?.models[0]?.id;
        if (id === undefined)
          throw (
            listed?.failure ??
            new ModelError("provider-refused", { cause: new Error("it lists no models; set OPENAI_MODEL") })
          );
        yield* modelOf(id).stream(request, signal);
      },
    };
  }

  return {
    async list() {
      const { ids, defaultId } = await available();
      const named = ids.map((id) => presentModel(modelOf(id).info));
      return { models: [...named, presentModel(builtin.info)], default: defaultId };
    },
    async get(id) {
      if (id === builtin.info.id) {
        // It says which model could be chosen instead.
        void available();
        return builtin;
      }
      // Nobody waits for a list to use a model that is set.
      if (
        provider?.model !== undefined &&
        provider.kind !== "ollama" &&
        (id ?? provider.model) === provider.model
      ) {
        return modelOf(provider.model);
      }
      const known = id === undefined ? undefined : models.get(id);
      if (known !== undefined) return known;
      const { ids, defaultId } = await available("hurried");
      const wanted = id ?? defaultId;
      if (wanted === builtin.info.id) return builtin;
      if (!ids.includes(wanted)) throw new AppError("model-not-found");
      return modelOf(wanted);
    },
    start() {
      // Failures are logged where they are met; the next question looks again.
      void available();
    },
    close: () => connection?.close(),
  };
}

type Provider = {
  kind: "openai" | "openai-compatible" | "ollama";
  baseUrl: string;
  apiKey: string | undefined;
  model: string | undefined;
};

function providerOf({ openai, ollamaUrl }: ModelsOptions): Provider | undefined {
  const apiKey = given(openai.apiKey);
  const model = given(openai.model);
  const baseUrl = given(openai.baseUrl) ?? (apiKey === undefined ? undefined : "https://api.openai.com/v1");
  if (baseUrl !== undefined) {
    const kind =
      URL.canParse(baseUrl) && new URL(baseUrl).hostname === "api.openai.com"
        ? "openai"
        : "openai-compatible";
    return { kind, baseUrl: withoutSlash(baseUrl), apiKey, model };
  }
  if (ollamaUrl === undefined) return undefined;
  return { kind: "ollama", baseUrl: `${withoutSlash(ollamaUrl)}/v1`, apiKey: undefined, model };
}

function connect(
  provider: Provider,
  { fetch: base = fetch, clock = systemClock, logger }: ModelsOptions,
): Connection {
  const ollama = provider.kind === "ollama";
  return createConnection({
    baseUrl: provider.baseUrl,
    apiKey: provider.apiKey,
    timeoutMs: ollama ? ollamaTimeoutMs : listTimeoutMs,
    freshMs: ollama ? ollamaFreshMs : freshMs,
    retryMs,
    fetch: base,
    clock,
    onFailure(error) {
      // That no Ollama runs is the usual case and no news.
      if (!ollama)
        logger.warn(
          { err: error.cause, code: error.code },
          "the model provider's models could not be listed",
        );
    },
  });
}

function knowing(
  { kind, baseUrl }: Provider,
  connection: Connection,
  { reads = [], fetch: base = fetch, clock = systemClock }: ModelsOptions,
): WhatModelsRead {
  return createWhatModelsRead({
    rules: reads,
    usual: kind === "openai" ? ["image", "pdf"] : ["image"],
    connection,
    clock,
    ...(kind === "ollama"
      ? { show: async (id: string) => await showOfOllama(baseUrl.replace(/\/v1$/, ""), id, base) }
      : {}),
  });
}

function nameOf(id: string, { kind, baseUrl }: Provider): string {
  if (id === unnamedId) return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : id;
  return kind === "ollama" ? id.replace(/:latest$/, "") : id;
}

/** An environment variable left empty is one not set. */
function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === "" ? undefined : value.trim();
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
