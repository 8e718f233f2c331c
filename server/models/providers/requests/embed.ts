import { limits } from "#contract/limits.ts";
import type { LocalOnly } from "../../local-only.ts";
import { ModelError, type ModelName } from "../../model.ts";
import type { RequestObserver } from "../../request-observer.ts";
import { asModelError } from "./failure.ts";
import type { ProviderConnection, ProviderApi } from "./provider-api.ts";
import { createRequestReport, type RequestReport } from "./request-report.ts";
import { createTransport } from "./transport.ts";
import { createWatchdog, type ProviderTimeouts } from "./watchdog.ts";

/** A model that turns texts into vectors. */
export type Embedder = {
  readonly info: ModelName;
  /**
   * One vector for each text, and the tokens of all if the provider reports them. Nothing is retried. Throws
   * `ModelError`, and the signal's reason soon after `signal` aborts.
   */
  embed(
    texts: readonly string[],
    signal: AbortSignal,
    observer?: RequestObserver,
  ): Promise<{ vectors: number[][]; inputTokens: number | undefined }>;
};

export type EmbedderOptions = {
  createModel: NonNullable<ProviderApi["createEmbeddingModel"]>;
  connection: ProviderConnection;
  info: ModelName;
  /** The provider's id for the model. */
  modelId: string;
  /** Whether the server passes its requests on to another host. */
  isRelayed: boolean;
  /** Whether all requests must stay in the operator's own network now. */
  localOnly?: LocalOnly | undefined;
  /** Test overrides. */
  timeouts?: Partial<ProviderTimeouts> | undefined;
};

/** Keeps the response within its limit: 96 vectors of 3,072 numbers are 6 MB. */
const textsPerRequest = 96;

export function createEmbedder(options: EmbedderOptions): Embedder {
  const { info } = options;
  return {
    info,
    async embed(texts, signal, observer) {
      if (options.isRelayed && (await options.localOnly?.()) === true)
        throw new ModelError("model-not-local");
      const vectors: number[][] = [];
      let inputTokens: number | undefined;
      const report = createRequestReport(options, observer);
      while (vectors.length < texts.length) {
        const found = await requestVectors(options, texts.slice(vectors.length), signal, report);
        if (found.vectors.length === 0) throw new ModelError("provider-broke-off");
        vectors.push(...found.vectors);
        if (found.tokens !== undefined) inputTokens = (inputTokens ?? 0) + found.tokens;
      }
      return { vectors, inputTokens };
    },
  };
}

/** The vectors of the first texts, as many as one request can have. */
async function requestVectors(
  options: EmbedderOptions,
  texts: readonly string[],
  signal: AbortSignal,
  report: RequestReport,
): Promise<{ vectors: number[][]; tokens: number | undefined }> {
  const { connection, modelId } = options;
  const localOnly = (await options.localOnly?.()) === true;
  const watchdog = createWatchdog(signal, { ...timeouts, ...options.timeouts }, report.onFirstToken);
  const transport = createTransport(watchdog, {
    isUnstreamed: true,
    localOnly,
    publicOnly: connection.isPublicOnly === true,
    proxy: connection.proxy,
    onSent: (sent) => report.onSent(sent, () => []),
  });
  try {
    const model = await options.createModel(connection, modelId, transport.fetch);
    const most = Math.min(textsPerRequest, (await model.maxEmbeddingsPerCall) ?? textsPerRequest);
    watchdog.startWaiting();
    const { embeddings, usage } = await model.doEmbed({
      values: texts.slice(0, most),
      abortSignal: watchdog.signal,
    });
    const input = usage?.tokens;
    report.onFinish({ usage: input === undefined ? {} : { input } });
    return { vectors: embeddings, tokens: input };
  } catch (error) {
    signal.throwIfAborted();
    const failure = asModelError(error, false, connection.apiKey);
    report.onFailure(failure.code);
    throw failure;
  } finally {
    // Does nothing if the request ended another way.
    report.onCancel();
    watchdog.close();
  }
}

const timeouts: ProviderTimeouts = {
  silenceMs: limits.modelNoOutputMs,
  noOutputMs: limits.modelNoOutputMs,
  stepMs: limits.modelStepMs,
};
