import type { ModelInfo } from "#contract/endpoints/models.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { Config } from "#server/settings/settings.ts";
import type { Model } from "../model.ts";
import type { ProviderTimeouts } from "./chat-completions/watchdog.ts";

/** A source of language models, such as a service, a local server or the built-in assistant. */
export type Provider = {
  /** The models on offer, the default first. Empty if the provider is not available. Never throws. */
  list(): Promise<ModelInfo[]>;
  /** The model with this id, or the default one; `undefined` if the provider does not offer it. */
  get(id: string | undefined): Promise<Model | undefined>;
  /** Aborts the provider's own requests, such as those for lists of models. */
  close(): void;
};

/** One entry of the list in `providers.ts`. */
export type ProviderDefinition = {
  id: string;
  /** The provider, or `undefined` if the settings do not enable it. */
  createProvider(settings: ProviderSettings, deps: ProviderDeps): Provider | undefined;
};

/** The settings that providers read. A provider with settings of its own adds their names here. */
export type ProviderSettings = Pick<Config, "openai" | "ollamaUrl" | "modelReads">;

export type ProviderDeps = {
  clock: Clock;
  logger: Pick<Logger, "warn">;
  /** For lists of models. */
  fetch: typeof fetch;
  /** The name of the model that the built-in assistant suggests instead of itself, if there is one. */
  suggestedModel(): string | undefined;
  /** Test overrides. */
  timeouts?: Partial<ProviderTimeouts> | undefined;
  /** Test override: milliseconds between two words of the built-in assistant. */
  wordMs?: number | undefined;
};
