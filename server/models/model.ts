import type { ErrorCode } from "#contract/errors.ts";
import type { JsonObject } from "#contract/json.ts";
import type { ModelInfo, ModelInput } from "#contract/models.ts";
import type { FinishReason, Usage } from "#contract/run-events.ts";
import type { ModelMessage } from "#server/parts/model-message.ts";

/**
 * A language model as the rest of the server sees it: a conversation in, a stream of events out. Providers translate
 * between this and their own library; nothing outside `server/models/` knows any library.
 */
export type Model = {
  readonly info: ModelName;
  /** What it can be given, as far as is known by now; absent for one that reads text alone. */
  facts?(): Promise<ModelFacts>;
  /**
   * Asks for one step of an answer: text and reasoning as they are made, tool calls for the caller to carry out. Ends
   * with exactly one `finish`. Throws `ModelError` when the provider fails, after whatever it had said; throws the
   * signal's reason soon after `signal` aborts, and lets go of the connection then. Nothing is retried once the first
   * event was given. Throws `FilesRefusedError` before the first event where its provider does not take what a request
   * has of files; what that says of the model its `facts` say from then on.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
};

export type ModelName = Omit<ModelInfo, "reads">;

export type ModelFacts = {
  /** The files that it takes as they are. */
  reads: readonly ModelInput[];
  /** How much it can be given at once, in tokens; absent where nobody says. */
  contextTokens?: number;
  /** How many pictures one request may have; absent where nobody says. */
  pictures?: number;
};

export type ModelRequest = {
  /** The assistant's instructions. */
  system?: string;
  settings?: ModelSettings;
  messages: ModelMessage[];
  tools: ToolDeclaration[];
  /**
   * The last messages are the beginning of the answer that is asked for: it was broken off and is to go on. A provider
   * does so as well as it can; what it says once more is dropped by the caller.
   */
  goesOn?: boolean;
  /** For the provider's log and the built-in assistant; never sent to a stranger. */
  purpose: "answer" | "title";
  /** Where the person is, an IANA name. For the built-in assistant too: never sent to a stranger. */
  timeZone?: string;
};

/** How a model is to speak; what is absent is left to it. */
export type ModelSettings = { temperature?: number; topP?: number; maxOutputTokens?: number };

export type {
  ModelAssistantPart,
  ModelDocument,
  ModelMessage,
  ModelToolResult,
  ModelUserPart,
} from "#server/parts/model-message.ts";

/** A tool as a model is told of it; `parameters` is a JSON schema of an object. */
export type ToolDeclaration = { name: string; description: string; parameters: JsonObject };

export type ModelEvent =
  /** The model does not take this setting: it was asked without. */
  | { type: "left-out"; setting: keyof ModelSettings }
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "tool-call-start"; toolCallId: string; toolName: string }
  | { type: "tool-call-delta"; toolCallId: string; argsText: string }
  /** The call is complete; `argsText` is all of it. */
  | { type: "tool-call"; toolCallId: string; toolName: string; argsText: string }
  | { type: "source"; id: string; url: string; title?: string }
  /** `data` is a data URL. */
  | { type: "file"; data: string; mediaType: string }
  | { type: "finish"; reason: FinishReason; usage: Usage };

/** A provider failed. `code` is the catalogue's; what the provider said stays in `cause`, for the log alone. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: ErrorCode;
  constructor(code: ErrorCode, options?: { cause?: unknown }) {
    super(code, options);
    this.code = code;
  }
}

/** What a provider did not take of a request: all files of a kind, one of them, what it was to fetch, or so many. */
export type FilesRefusal =
  | { of: "kind" | "one"; input: ModelInput }
  | { of: "addresses" }
  | { of: "pictures"; most: number };

/** The provider did not take a request's files, and said so before anything else: it is to be asked with fewer. */
export class FilesRefusedError extends ModelError {
  readonly refusal: FilesRefusal;
  constructor(refusal: FilesRefusal, options?: { cause?: unknown }) {
    super("provider-refused", options);
    this.refusal = refusal;
  }
}
