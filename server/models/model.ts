import { idAtProvider } from "#contract/ids.ts";
import type { ErrorCode } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import type { ModelInfo, ModelInput, ModelPrices, ReasoningEffort } from "#contract/endpoints/models.ts";
import type { PartKind, WholeKind, WholePart } from "#contract/parts/kinds.ts";
import type { ProviderOptions } from "#contract/provider-kinds.ts";
import type { FinishReason, Usage } from "#contract/run-events.ts";
import { AppError } from "#server/lib/errors.ts";
import type { ModelMessage, ProviderData } from "#server/parts/model-message.ts";
import type { RequestObserver } from "./request-observer.ts";

/**
 * A language model as the rest of the server uses it: a conversation in, a stream of events out. Providers convert
 * between this and their SDK. No code outside of `server/models/` uses an SDK.
 */
export type Model = {
  readonly info: ModelName;
  /** What is known about the model. Absent if it reads only text. */
  facts?(): Promise<ModelFacts>;
  /**
   * Whether requests stay in the operator's own network, as far as it is known before they are sent. Absent if the
   * model needs no request.
   */
  isLocal?(): Promise<boolean>;
  /**
   * Requests one step of an answer: text and reasoning as the model makes them, and tool calls for the caller to carry
   * out. Ends with exactly one `finish`. Throws `ModelError` when the provider fails, after the events so far. Throws
   * the signal's reason soon after `signal` aborts, and closes the connection. Nothing is retried after the first
   * event. Throws `FilesRefusedError` before the first event if the provider does not accept the files of the request.
   * From then on `facts` takes the refusal into account. `observer` is called for every HTTP request that is sent.
   */
  stream(request: ModelRequest, signal: AbortSignal, observer?: RequestObserver): AsyncIterable<ModelEvent>;
};

export type ModelName = Pick<ModelInfo, "id" | "name" | "provider" | "provider_name">;

/** Whether `id` means this model: its id, or its id without the provider. */
export function isIdOf({ info }: Pick<Model, "info">, id: string): boolean {
  return id === info.id || id === idAtProvider(info.id);
}

export type ModelFacts = {
  /** The kinds of files that the model reads without conversion. */
  reads: readonly ModelInput[];
  /** Whether the model can call tools; absent if unknown. */
  tools?: boolean;
  /** The context window in tokens; absent if unknown. */
  contextTokens?: number;
  /** The longest answer in tokens; absent if unknown. */
  outputTokens?: number;
  /** How many pictures one request may have; absent if unknown. */
  pictures?: number;
  /** The reasoning efforts that can be chosen; absent if there are none or they are unknown. */
  efforts?: readonly ReasoningEffort[];
  /** Absent if unknown. */
  prices?: ModelPrices;
  /** The server passes requests on to another host. */
  isRelayed?: true;
  /** How the server continues the start of an answer; absent if it cannot, or if that is unknown. */
  prefill?: Prefill;
};

/** Continues an assistant message at the end: always, or with the parameter `continue_final_message`. */
export type Prefill = "last-message" | "parameter";

export type ModelRequest = {
  /** The assistant's instructions. */
  system?: string;
  settings?: ModelSettings;
  /** A model gets the options of its provider's kind. */
  providerOptions?: ProviderOptions;
  messages: ModelMessage[];
  tools: ToolDeclaration[];
  /** Which tools the model must call. Default: it decides. */
  toolChoice?: "none" | "auto" | "required" | { toolName: string };
  /** The answer must be JSON, of this schema if there is one. Not every provider guarantees that. */
  json?: { name?: string; schema?: JsonObject };
  /**
   * The last messages are the start of an interrupted answer. If the provider supports it, the model continues the last
   * text exactly, and the event `prefilled` comes first. Otherwise a message asks the model to continue, and the caller
   * removes what the model repeats.
   */
  continuesAnswer?: boolean;
  /**
   * The request must not leave the operator's own network: otherwise `stream` throws `ModelError` "model-not-local".
   */
  localOnly?: boolean;
  /** For the provider's log and the built-in assistant; never sent to another host. */
  purpose: "answer" | "title" | "summary" | "suggestions";
  /** The person's time zone, an IANA name. For the built-in assistant; never sent to another host. */
  timeZone?: string;
  /**
   * Whether the user manages models, and so may know names of settings. For the built-in assistant; never sent to
   * another host.
   */
  managesModels?: boolean;
};

/** Sampling settings. The provider chooses those that are absent. */
export type ModelSettings = {
  temperature?: number;
  topP?: number;
  maxOutputTokens?: number;
  seed?: number;
  stopSequences?: string[];
  reasoning?: ReasoningEffort;
};

export type {
  ModelAssistantPart,
  ModelMessage,
  ModelToolResult,
  ModelUserPart,
  ProviderData,
} from "#server/parts/model-message.ts";

/** A tool as a model reads it; `parameters` is a JSON schema of an object. */
export type ToolDeclaration = { name: string; description: string; parameters: JsonObject };

export type ModelEvent =
  /** The output continues the text at the end of the request, from its next character on. */
  | { type: "prefilled" }
  /** The model does not support this setting. The request was sent without it. */
  | { type: "left-out"; setting: keyof ModelSettings }
  | StreamedEvents[Exclude<PartKind, WholeKind>]
  /** A part of a kind that is not streamed. */
  | { type: "part"; part: WholePart }
  /** The text or the reasoning before this event is a part of its own, and has this data; its text may be empty. */
  | { type: "provider-data"; of: "text" | "reasoning"; providerData: ProviderData }
  | { type: "finish"; reason: FinishReason; usage: Usage; cacheWriteTokens?: number };

/** The events of each kind of part that models stream. */
type StreamedEvents = {
  text: { type: "text"; text: string };
  reasoning: { type: "reasoning"; text: string };
  "tool-call":
    | { type: "tool-call-start"; toolCallId: string; toolName: string }
    | { type: "tool-call-delta"; toolCallId: string; argsText: string }
    /** The call is complete; `argsText` is all of it. */
    | {
        type: "tool-call";
        toolCallId: string;
        toolName: string;
        argsText: string;
        providerData?: ProviderData;
      };
};

/** A provider failed. `cause` has the provider's own message, only for the log. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ErrorCode;
  /** How long the provider asks to wait before the next request. */
  readonly retryAfterMs: number | undefined;
  constructor(code: ErrorCode, options: { cause?: unknown; retryAfterMs?: number | undefined } = {}) {
    super(code, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** What a failed answer tells its readers (`code`) and the log (`err`). */
export function describeFailure(error: unknown): { code: ErrorCode; err: unknown } {
  if (error instanceof ModelError) return { code: error.code, err: error.cause ?? error };
  return { code: error instanceof AppError ? error.code : "internal", err: error };
}

/** What a provider refused: a kind of file, one file, files at URLs, or more than `most` pictures. */
export type FilesRefusal =
  | { of: "kind" | "one"; input: ModelInput }
  | { of: "addresses" }
  | { of: "pictures"; most: number };

/** The provider refused the files of a request before the first event. The caller may retry with fewer. */
export class FilesRefusedError extends ModelError {
  readonly refusal: FilesRefusal;
  constructor(refusal: FilesRefusal, options?: { cause?: unknown }) {
    super("provider-refused", options);
    this.refusal = refusal;
  }
}
