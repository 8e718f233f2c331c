import type { Json, JsonObject } from "#contract/json.ts";
import type { Usage } from "#contract/run-events.ts";
import type { OutgoingProxy } from "#server/fetch/outgoing-proxy.ts";
import type { ModelFacts } from "../../model.ts";
import type { CallIdFormat } from "./call-ids.ts";
import type { Extras } from "./extras.ts";
import type { ChatModel, EmbeddingModel } from "./sdk.ts";

/** Where a provider is and the key that it requires. No other host is contacted. */
export type ProviderConnection = {
  baseUrl: string;
  apiKey: string | undefined;
  /** Requests to an address in another network than the internet fail, whatever the host's name resolves to later. */
  isPublicOnly?: boolean;
  /** Sends requests to hosts outside of the server's own network. */
  proxy?: OutgoingProxy | undefined;
};

/** How the models of a kind of provider are called through the SDK. */
export type ProviderApi = {
  /**
   * Creates the SDK's model. It loads its package here, at the first use: each takes some 80 ms and 24 MB. It must not
   * take a key from the environment, so a missing key is passed as "".
   */
  createModel(connection: ProviderConnection, modelId: string, hooks: SdkHooks): Promise<ChatModel>;
  /** Like `createModel`, for a model that turns texts into vectors. Absent if this kind of provider has none. */
  createEmbeddingModel?(
    connection: ProviderConnection,
    modelId: string,
    fetchModel: typeof fetch,
  ): Promise<EmbeddingModel>;
  /** The SDK's name for options of its own, and those of each call. */
  options: { name: string; always?: JsonObject };
  /** Which ids of tool calls it accepts. Those of other providers are replaced. */
  callIds: CallIdFormat;
  /**
   * The option of a message after which the provider caches the prompt. Absent if it caches by itself, or not at all.
   */
  cacheMark?: JsonObject;
  /**
   * The options of a call that ends with the start of the answer, for a model that continues that text exactly;
   * `undefined` for other models, and if it is unknown. Absent if no model of this kind does.
   */
  prefillOptions?(modelId: string, facts: ModelFacts): JsonObject | undefined;
  /**
   * Reads a raw event that contains only text, without the SDK, which takes twice as long; `undefined` for events that
   * the SDK must read. If absent, the SDK reads all events.
   */
  readText?(event: unknown): EventText | undefined;
  /**
   * Whether the answer is complete after the event with this data. A connection that breaks later is no failure then. Absent
   * with `readText`, which finds out itself.
   */
  isLastEvent?(data: string): boolean;
  /**
   * Changes the events of one answer, in their order, into what the SDK reads: it drops what the SDK would fail at, by
   * `undefined`. Other events that the SDK refuses are skipped.
   */
  createEventFilter?(): (data: string) => string | undefined;
  /** What an event has of the answer. For events that the SDK refuses because of something else in them. */
  readLoosely(event: JsonObject): LooseEvent;
  /** Whether it accepts system messages between others, and reasoning without the provider's own metadata. */
  isLenient?: boolean;
};

export type EventText = { reasoning: string; text: string };

export type LooseEvent = {
  text?: string;
  reasoning?: string;
  source?: { url: Json | undefined; title: Json | undefined };
  finishReason?: string;
  usage?: Usage;
};

/** What the SDK's model needs of the request that it is called for, and what the provider refused before. */
export type SdkHooks = {
  fetch: typeof fetch;
  currentExtras(): Extras;
  includeUsage: boolean;
  useNewLengthName: boolean;
};
