import type { ModelInfo } from "#contract/endpoints/models.ts";
import type { ErrorCode } from "#contract/errors.ts";
import type { OutgoingProxy } from "#server/fetch/outgoing-proxy.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Config } from "#server/settings/settings.ts";
import type { LocalOnly } from "../local-only.ts";
import type { Model } from "../model.ts";
import type { Embedder } from "./requests/embed.ts";
import type { ProviderTimeouts } from "./requests/watchdog.ts";

/** A source of language models, such as a service, a local server or the built-in assistant. */
export type Provider = {
  readonly id: string;
  /** The models on offer, the default first. Empty if the provider is not available. Never throws. */
  list(): Promise<ModelInfo[]>;
  /**
   * The model with this id, without the provider's id before it, or the default one; `undefined` if the provider does not
   * offer it.
   */
  get(modelId: string | undefined): Promise<Model | undefined>;
  /**
   * The model that turns texts into vectors under this id. Whether the server has the model is known only after a
   * request. `undefined` if this kind of provider has none.
   */
  embedder(modelId: string): Embedder | undefined;
  /** The models that its server lists, as last known, and why the last request for them failed. Never throws. */
  listed(): Promise<{ models: readonly { id: string; name: string }[]; problem?: ErrorCode }>;
  /** The list of models has changed, so the next use requests it. */
  forgetList(): void;
  /** Aborts the provider's own requests, such as those for lists of models. */
  close(): void;
};

/** The providers that administrators added, in order, and the id of the model that they chose as the default. */
export type StoredProviders = { providers: readonly Provider[]; defaultModel: string | undefined };

/** The settings that providers read. */
export type ProviderSettings = Pick<Config, "openai" | "ollamaUrl" | "modelReads">;

export type ProviderDeps = {
  clock: Clock;
  logger: Pick<Logger, "warn">;
  /** For lists of models. */
  fetch: typeof fetch;
  localOnly?: LocalOnly | undefined;
  proxy?: OutgoingProxy | undefined;
  /** Test overrides. */
  timeouts?: Partial<ProviderTimeouts> | undefined;
};
