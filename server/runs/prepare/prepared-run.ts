import type { ProviderOptions } from "#contract/provider-kinds.ts";
import type { UnreadFile } from "#contract/parts/unread-files.ts";
import type { Database } from "#storage/database/database.ts";
import type { ResolvedAssistant } from "#server/assistants/assistants.ts";
import type { PersonalInstructions } from "#server/assistants/personal-instructions/personal-instructions.ts";
import type { Extraction } from "#server/extraction/extraction.ts";
import type { RequestLimits } from "#server/extraction/request-limits.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { SummarizedBranch } from "#server/messages/history.ts";
import type {
  Model,
  ModelEvent,
  ModelFacts,
  ModelMessage,
  ModelRequest,
  ModelSettings,
  ToolDeclaration,
} from "#server/models/model.ts";
import type { Models } from "#server/models/models.ts";
import type { AllowedTools } from "#server/threads/allowed-tools.ts";
import type { ThreadRules } from "#server/threads/rule-rows.ts";
import type { RunRules } from "#server/tools/rules/decide.ts";
import type { ToolRules } from "#server/tools/rules/tool-rules.ts";
import type { Tool, ToolContext } from "#server/tools/tool.ts";
import type { RequestSummary } from "../compaction/summary-message.ts";
import type { ModelRules, ModelUse } from "../model-rules.ts";
import type { StoredStep } from "../reply-steps.ts";
import type { RequestRecorder } from "../requests/recorder.ts";

/** What a caller asks for. `prepareRun` checks it and asks every source what it adds. */
export type AskedRun = {
  /** Who asks, and where. */
  use: ModelUse;
  model: Model;
  /** The current settings. Without an assistant, the request has none of its instructions, settings and tools. */
  assistant: ResolvedAssistant | undefined;
  conversation: StoredConversation | SentConversation;
  /** Which tools of the server may be offered: `unattended` ones need no answer of a person. */
  ownTools: "all" | "unattended" | "none";
  /** The reasoning effort that was chosen, if any. */
  effort: string | null;
  timeZone: string;
  nowMs: number;
  /** Whether the answer has begun: it is finished although its person has lost the rights to it. */
  hasBegun: boolean;
  /** Whether the assistant's fallback model may answer. */
  hasFallback: boolean;
  /** Records the requests for the receipt and the usage. */
  recorder: RequestRecorder;
  signal: AbortSignal;
};

/** A branch of the thread. `steps` has the steps of its answers whose parts have data of their provider, by message. */
export type StoredConversation = {
  from: "thread";
  branch: SummarizedBranch;
  steps: ReadonlyMap<string, StoredStep[]>;
};

/** What a client sent. */
type SentConversation = {
  from: "client";
  system?: string | undefined;
  messages: ModelMessage[];
  tools: readonly ToolDeclaration[];
  /** Override those of the assistant. */
  settings?: ModelSettings;
};

/** What sources read. */
export type RunFacts = AskedRun & {
  thread: ThreadRules;
  /** Repeats work while the database is not available. */
  retried: <T>(work: () => Promise<T>) => Promise<T>;
};

export type PrepareModules = {
  db: Database;
  clock: Clock;
  logger: Pick<Logger, "warn">;
  models: Pick<Models, "get">;
  modelRules: ModelRules;
  /** The built-in tools. */
  tools: readonly Tool[];
  /** The tools of tool servers that a person may use, as they are known now. */
  toolServers: {
    of(person: { userId: string; workspaceId: string }): Promise<{ tools: Tool[]; unavailable: string[] }>;
  };
  allowedTools: AllowedTools;
  toolRules: Pick<ToolRules, "of">;
  stepsMax(): Promise<number>;
  extraction: Pick<Extraction, "resolveFiles">;
  personalInstructions: Pick<PersonalInstructions, "find">;
};

declare const isPrepared: unique symbol;

/**
 * A model that the person may use here. Its requests stay in the operator's own network where they must, and each is
 * recorded for the receipt. Only `prepareRun` makes one.
 */
export type PreparedModel = Pick<Model, "info" | "facts"> & {
  readonly [isPrepared]: true;
  /** Like `Model.stream`. `step` is the number of the step in its answer, from 1. */
  stream(request: ModelRequest, signal: AbortSignal, step: number): AsyncIterable<ModelEvent>;
};

/** Replaces the files of a conversation by what the model can read of them. */
export type ReadFiles = (
  messages: readonly ModelMessage[],
  request: { facts: ModelFacts; requestLimits: RequestLimits },
) => Promise<{ messages: ModelMessage[]; unread: UnreadFile[] }>;

/** What context sources add. */
export type RequestContext = {
  system: string;
  messages: readonly ModelMessage[];
  /** Replaces the messages above these. */
  summary?: RequestSummary | undefined;
  /** Whether messages above these are left out without a summary. */
  isCut?: boolean | undefined;
  readFiles?: ReadFiles | undefined;
};

/** What tool sources add. */
export type RequestTools = {
  /** Tools that the server executes, or that a person answers. */
  tools: readonly Tool[];
  /** Tools that the caller executes: a call of one ends the answer with `tool-calls`. */
  callerTools: readonly ToolDeclaration[];
  /** The names of the assistant's tools that the person may not use. */
  forbiddenTools: readonly string[];
  /** What people call the sources whose tools cannot be used now. */
  unavailableTools: readonly string[];
  /** The names of the assistant's tools that send something out of the network, where nothing may leave it. */
  remoteTools: readonly string[];
  /** What holds for calls now. */
  readRules(): Promise<RunRules>;
  /** Whose text earlier answers of the thread have read, if strangers wrote it. */
  listStrangers(): Promise<readonly string[]>;
  /** How many steps the answer may have. */
  stepsMax: number;
};

/** What a model is asked with. */
export type PreparedRun = RequestContext &
  RequestTools & {
    model: PreparedModel;
    /** The model that is to answer after this failure; `undefined` if there is none or the person may not use it. */
    findFallback(error: unknown): Promise<Model | undefined>;
    settings: ModelSettings;
    providerOptions?: ProviderOptions | undefined;
    context: Pick<ToolContext, "workspaceId" | "threadId" | "timeZone">;
    /** Whether the person who asks may connect models. */
    managesModels: boolean;
  };
