import type { Part } from "#contract/parts/kinds.ts";
import type { ProviderOptions } from "#contract/provider-kinds.ts";
import type { UnreadFile } from "#contract/parts/unread-files.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { RequestLimits } from "#server/extraction/request-limits.ts";
import type {
  Model,
  ModelAssistantPart,
  ModelFacts,
  ModelMessage,
  ModelSettings,
  ToolDeclaration,
} from "#server/models/model.ts";
import type { AnswerArtifacts } from "#server/tools/artifacts/answer-artifacts.ts";
import type { Tool, ToolContext } from "#server/tools/tool.ts";
import type { RequestSummary } from "../compaction/summary-message.ts";
import type { RequestRecorder } from "../requests/recorder.ts";
import type { AnswerSize } from "./answer-size.ts";
import type { Assembler } from "./assemble.ts";
import type { Citations } from "./citations.ts";

/** What an answer is made from. */
export type AnswerInput = {
  model: Model;
  /** The id of the model that answers if `model` fails before its first token. */
  fallbackModel?: string | undefined;
  system: string;
  settings?: ModelSettings;
  providerOptions?: ProviderOptions | undefined;
  messages: ModelMessage[];
  /** Replaces the messages above these. */
  summary?: RequestSummary | undefined;
  /** Whether messages above these are left out without a summary. */
  isCut?: boolean;
  /** Replaces the files of the conversation by what the model can read of them. */
  readFiles?: (
    messages: readonly ModelMessage[],
    request: { facts: ModelFacts; requestLimits: RequestLimits },
  ) => Promise<ReadFiles>;
  /** Tools that the server executes, or that a person answers. */
  tools: readonly Tool[];
  /** Tools that the caller executes: a call of one ends the answer with `tool-calls`. */
  callerTools: ToolDeclaration[];
  context: Pick<ToolContext, "workspaceId" | "threadId" | "timeZone">;
  /** Whether the person who asks may connect models. */
  managesModels: boolean;
  /** Whether the last text of the reply was broken off because a process handed the run over. */
  isHandedOver?: boolean;
  /** The parts of the reply if the run continues it, and the number of parts at the end of each earlier step. */
  partsBefore: readonly Part[];
  stepEnds: readonly number[];
  /** The steps of `partsBefore` whose parts have data of their provider. */
  storedSteps?: readonly StoredStep[];
  /** Stores a step with such data before its tools are executed. */
  saveStep?(step: StoredStep): Promise<void>;
  /** The names of the tools that currently need no approval. */
  allowedTools(): Promise<readonly string[]>;
  /** The indexes of the parts in `partsBefore` whose calls a person just approved. They are executed first. */
  approved: readonly number[];
};

/** A step as its model made it. `firstCall` is the index of its first tool call in the parts of the reply. */
export type StoredStep = { firstCall: number; parts: ModelAssistantPart[] };

export type ReadFiles = { messages: ModelMessage[]; unread: UnreadFile[] };

export type AnswerOptions = {
  clock: Clock;
  logger: Logger;
  signal: AbortSignal;
  /** Records the requests to models. */
  recorder?: RequestRecorder;
};

/** What the steps of one answer share. */
export type AnswerState = {
  assembler: Assembler;
  citations: Citations;
  artifacts: AnswerArtifacts;
  size: AnswerSize;
};
