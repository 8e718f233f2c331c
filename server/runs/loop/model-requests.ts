import type { Part } from "#contract/parts/kinds.ts";
import type { RunNote } from "#contract/run-events.ts";
import type { UnreadFile } from "#contract/parts/unread-files.ts";
import { noLimits, tightenLimits, type RequestLimits } from "#server/extraction/request-limits.ts";
import type {
  ModelAssistantPart,
  ModelFacts,
  ModelMessage,
  ModelRequest,
  ToolDeclaration,
} from "#server/models/model.ts";
import { fileInstructions } from "#server/parts/file-prompts.ts";
import { quotedInstructions, resultForModel } from "#server/parts/tool-call.ts";
import type { Tool } from "#server/tools/tool.ts";
import { createRequestRoom } from "../compaction/request-room.ts";
import { tokenBudget } from "../compaction/token-budget.ts";
import { stepMessages } from "../reply-steps.ts";
import type { ReadFiles } from "../prepare/prepared-run.ts";
import type { AnswerInput } from "./answer-state.ts";
import type { FinishedCall } from "./execute-tools.ts";

/** The requests of one answer: the conversation, then the output and the tool results of each step. */
export type ModelRequests = Awaited<ReturnType<typeof createModelRequests>>;

/** `parts` is the reply so far. */
export async function createModelRequests(input: AnswerInput, parts: readonly Part[]) {
  const steps = stepMessages(parts, input);
  const tools = [...input.tools.map(declarationOf), ...input.callerTools];
  const mayQuote = input.tools.some(({ readsStrangers }) => readsStrangers);
  const facts = await input.model.facts?.();
  let isFirstStep = true;
  let areFilesReported = parts.length > 0;
  let requestLimits = noLimits;
  let read = await readFiles(input, requestLimits, facts);
  const room = createRequestRoom(tokenBudget(facts, input.settings));

  return {
    /**
     * The request for the next step, what was left out of it, and the text that the model continues in it: none unless it
     * was interrupted.
     */
    next(): { request: ModelRequest; notes: RunNote[]; continuedText: string } {
      const system = [
        input.system,
        ...(hasFiles(read.messages) ? [fileInstructions] : []),
        ...(mayQuote || hasQuotes(read.messages) || hasQuotes(steps) ? [quotedInstructions] : []),
      ].join("\n\n");
      const { messages, notes } = room.fit({ ...input, system, tools, messages: read.messages, steps });
      const continuesAnswer = messages.at(-1)?.role === "assistant";
      const request: ModelRequest = {
        system,
        settings: input.settings,
        ...(input.providerOptions === undefined ? {} : { providerOptions: input.providerOptions }),
        messages,
        tools,
        continuesAnswer,
        purpose: "answer",
        timeZone: input.context.timeZone,
        managesModels: input.managesModels,
      };
      return { request, notes, continuedText: continuesAnswer ? lastText(parts) : "" };
    },
    /**
     * Whether a request that was refused can be sent again with less: with fewer or shorter files in the first step, else
     * without the oldest results, files and messages. If so, `next` returns that request.
     */
    async canRetryWithLess(error: unknown): Promise<boolean> {
      const tightened = isFirstStep ? tightenLimits(requestLimits, error, read.messages) : undefined;
      if (tightened === undefined) return room.tighten(error);
      requestLimits = tightened;
      // The refusal can have changed what is known about the model.
      read = await readFiles(input, requestLimits, await input.model.facts?.());
      return true;
    },
    addStep(made: ModelAssistantPart[], calls: readonly FinishedCall[]): void {
      isFirstStep = false;
      const results = calls.map(({ call: { toolCallId, toolName }, result, isError, from }) =>
        resultForModel({ toolCallId, toolName, result, isError, from }),
      );
      steps.push({ role: "assistant", parts: made }, { role: "tool", results });
    },
    /** The files that the model does not get. Empty after the first call, and if the reply had parts before. */
    takeUnreadFiles(): UnreadFile[] {
      const files = areFilesReported ? [] : read.unread;
      areFilesReported = true;
      return files;
    },
  };
}

async function readFiles(
  { messages, readFiles: read }: AnswerInput,
  requestLimits: RequestLimits,
  facts: ModelFacts = { reads: [] },
): ReturnType<ReadFiles> {
  if (read === undefined) return { messages: [...messages], unread: [] };
  return await read(messages, { facts, requestLimits });
}

function hasFiles(messages: readonly ModelMessage[]): boolean {
  return messages.some(
    (message) => message.role === "user" && message.parts.some(({ type }) => type !== "text"),
  );
}

function hasQuotes(messages: readonly ModelMessage[]): boolean {
  return messages.some(
    (message) => message.role === "tool" && message.results.some(({ from }) => from !== undefined),
  );
}

/** The text at the end of the reply, if the answer was interrupted there. */
function lastText(parts: readonly Part[]): string {
  const last = parts.at(-1);
  return last?.type === "text" ? last.text : "";
}

export function declarationOf({ name, description, parameters }: Tool): ToolDeclaration {
  return { name, description, parameters };
}
