import type { Json } from "#contract/json.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { UnreadFile } from "#contract/unread-files.ts";
import { noLimits, tightenLimits, type RequestLimits } from "#server/extraction/request-limits.ts";
import type {
  ModelAssistantPart,
  ModelMessage,
  ModelRequest,
  ToolDeclaration,
} from "#server/models/model.ts";
import { fileInstructions } from "#server/parts/file-prompts.ts";
import { modelMessages } from "#server/parts/to-model.ts";
import type { Tool } from "#server/tools/tool.ts";
import type { AnswerInput, ReadFiles } from "./answer-state.ts";
import type { PendingCall } from "./assemble.ts";
import { parseArgs, type CallResult } from "./tool-call.ts";

export type FinishedCall = { call: PendingCall } & CallResult;

/** The requests of one answer: the conversation, then the output and the tool results of each step. */
export type ModelRequests = Awaited<ReturnType<typeof createModelRequests>>;

/** `parts` is the reply so far. */
export async function createModelRequests(input: AnswerInput, parts: readonly Part[]) {
  const steps = stepsOf(parts, input.stepEnds);
  const tools = [...input.tools.map(declarationOf), ...input.callerTools];
  let isFirstStep = true;
  let areFilesReported = parts.length > 0;
  let requestLimits = noLimits;
  let read = await readFiles(input, requestLimits);

  return {
    /** The request for the next step, and the text that the model continues in it: none unless it was interrupted. */
    next(): { request: ModelRequest; continuedText: string } {
      const messages = [...read.messages, ...steps];
      const continuesAnswer = messages.at(-1)?.role === "assistant";
      const request: ModelRequest = {
        system: hasFiles(read.messages) ? `${input.system}\n\n${fileInstructions}` : input.system,
        settings: input.settings ?? {},
        messages,
        tools,
        continuesAnswer,
        purpose: "answer",
        timeZone: input.context.timeZone,
        isOwner: input.isOwner,
      };
      return { request, continuedText: continuesAnswer ? lastText(parts) : "" };
    },
    /** Whether the first request can be sent again with fewer or shorter files. If so, `next` returns that request. */
    async canRetryWithFewerFiles(error: unknown): Promise<boolean> {
      const tightened = isFirstStep ? tightenLimits(requestLimits, error, read.messages) : undefined;
      if (tightened === undefined) return false;
      requestLimits = tightened;
      read = await readFiles(input, requestLimits);
      return true;
    },
    addStep(text: string, calls: readonly FinishedCall[]): void {
      isFirstStep = false;
      steps.push(...stepMessages(text, calls));
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
  { model, messages, readFiles: read }: AnswerInput,
  requestLimits: RequestLimits,
): Promise<ReadFiles> {
  if (read === undefined) return { messages, unread: [] };
  return await read(messages, { facts: (await model.facts?.()) ?? { reads: [] }, requestLimits });
}

function hasFiles(messages: readonly ModelMessage[]): boolean {
  return messages.some(
    (message) => message.role === "user" && message.parts.some(({ type }) => type !== "text"),
  );
}

/** The reply's steps as the model made them: calls of two steps must not look like parallel calls. */
function stepsOf(parts: readonly Part[], ends: readonly number[]): ModelMessage[] {
  const starts = [0, ...ends];
  return starts.flatMap((start, index) => modelMessages("assistant", parts.slice(start, starts[index + 1])));
}

function stepMessages(text: string, calls: readonly FinishedCall[]): ModelMessage[] {
  const words: ModelAssistantPart[] = text === "" ? [] : [{ type: "text", text }];
  const called = calls.map(({ call }): ModelAssistantPart => {
    const { toolCallId, toolName } = call;
    const args: Json = parseArgs(call) ?? {};
    return { type: "tool-call", toolCallId, toolName, args };
  });
  const results = calls.map(({ call: { toolCallId, toolName }, result, isError }) => ({
    toolCallId,
    toolName,
    result,
    isError,
  }));
  return [
    { role: "assistant", parts: [...words, ...called] },
    { role: "tool", results },
  ];
}

/** The text at the end of the reply, if the answer was interrupted there. */
function lastText(parts: readonly Part[]): string {
  const last = parts.at(-1);
  return last?.type === "text" ? last.text : "";
}

function declarationOf({ name, description, parameters }: Tool): ToolDeclaration {
  return { name, description, parameters };
}
