import type { Json } from "#contract/json.ts";
import { sizeOfAnswer } from "./answer-size.ts";
import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { foldOne, type Reply } from "#contract/fold.ts";
import type { FinishReason, RunEvent } from "#contract/run-events.ts";
import { unreadFilesName, type UnreadFile } from "#contract/unread-files.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import {
  ModelError,
  type Model,
  type ModelAssistantPart,
  type ModelFacts,
  type ModelMessage,
  type ModelSettings,
  type ToolDeclaration,
} from "#server/models/model.ts";
import type { Tool, ToolContext } from "#server/tools/tool.ts";
import { filesAreData } from "#server/parts/file-words.ts";
import { modelMessages } from "#server/parts/to-model.ts";
import { tightenLimits, noLimits, type RequestLimits } from "#server/extraction/request-limits.ts";
import {
  carryOut,
  carryOutAllowed,
  wantedOfCall,
  withoutAsking,
  type CallContext,
  type CallResult,
  type Wanted,
} from "./execute-tools.ts";
import { createCitations } from "./citations.ts";
import { trimRepeat } from "./trim-repeat.ts";
import { createAssembler, type PendingCall } from "./assemble.ts";

export type Question = {
  model: Model;
  system: string;
  settings?: ModelSettings;
  messages: ModelMessage[];
  /** Puts what the model reads of the conversation's files in their places. */
  readFiles?: (
    messages: readonly ModelMessage[],
    asked: { facts: ModelFacts; requestLimits: RequestLimits },
  ) => Promise<Read>;
  /** Tools that we carry out, or that a person answers. */
  tools: readonly Tool[];
  /** Tools that the caller carries out: a call of one ends the answer with `tool-calls`. */
  callerTools: ToolDeclaration[];
  context: Pick<ToolContext, "workspaceId" | "threadId" | "timeZone">;
  /** What the reply holds already, where it is gone on with, and how many parts each step so far ended with. */
  before: readonly Part[];
  stepEnds: readonly number[];
  /** The tools that a person has said need not ask, as of now. */
  allowedTools(): Promise<readonly string[]>;
  /** The parts of `before` whose calls a person has just allowed: they are carried out first. */
  allowed: readonly number[];
};

/** How an answer ended, or that it `waits` for a person to allow or answer the calls of these parts. */
type Read = { messages: ModelMessage[]; unread: UnreadFile[] };

export type AnswerEnd = { finishReason: FinishReason } | { waits: number[] };

type Options = { clock: Clock; logger: Logger; signal: AbortSignal };

/**
 * Asks a model, carries out the tools it calls, tells it the results, and so on until it is done or a person is to be
 * asked. Gives the run events as they come; what it answers at last says how it ended. Throws `ModelError` and the
 * signal's reason, each after closing the part that was open.
 */
export async function* answer(question: Question, options: Options): AsyncGenerator<RunEvent, AnswerEnd> {
  const { clock, signal } = options;
  const citations = createCitations(question.before);
  const context = { ...question.context, asked: lastAsked(question.messages), cite: citations.cite };
  const before = yield* withAllowed(question, context, options);
  const assembler = createAssembler({ clock, before });
  for (const source of citations.taken()) yield* assembler.add(source);
  const steps = stepsOf(before, question.stepEnds);
  let requestLimits = noLimits;
  let given = await readQuestion(question, requestLimits);
  let messages = [...given.messages, ...steps];
  const tools = [...question.tools.map(declared), ...question.callerTools];
  const size = sizeOfAnswer(before);
  // Once it is known what the model was given, before its first word. Where it goes on it was told already.
  let toTell = before.length === 0;
  const tellUnread = (): RunEvent[] => {
    const files = toTell ? given.unread : [];
    toTell = false;
    return files.length === 0 ? [] : assembler.add({ type: "data", name: unreadFilesName, data: files });
  };
  for (let step = 1; step <= limits.runStepsMax; step++) {
    if (size.isTooLong()) throw new ModelError("answer-too-long");
    let finishReason: FinishReason = "other";
    const said: ModelAssistantPart[] = [];
    let hasBegun = false;
    try {
      const goesOn = step === 1 && messages.at(-1)?.role === "assistant";
      const { settings = {} } = question;
      const system = withWordOfFiles(question.system, given.messages);
      const { timeZone } = question.context;
      const request = {
        system,
        settings,
        messages,
        tools,
        continuesAnswer: goesOn,
        purpose: "answer",
        timeZone,
      } as const;
      for await (const event of trimRepeat(
        goesOn ? lastText(before) : "",
        question.model.stream(request, signal),
      )) {
        hasBegun = true;
        if (toTell) yield* tellUnread();
        if (event.type === "finish") finishReason = event.reason;
        if (event.type === "part" && event.part.type === "source") citations.heard(event.part);
        if (event.type === "text") said.push({ type: "text", text: event.text });
        const made = assembler.take(event);
        // Not `yield*`: for a list that costs twice as much, and this is done for every token.
        for (const runEvent of made) {
          size.add(runEvent);
          yield runEvent;
        }
        if (size.isTooLong()) throw new ModelError("answer-too-long");
      }
    } catch (error) {
      const less = hasBegun || step > 1 ? undefined : tightenLimits(requestLimits, error, given.messages);
      if (less !== undefined) {
        requestLimits = less;
        given = await readQuestion(question, requestLimits);
        messages = [...given.messages, ...steps];
        step = 0;
        continue;
      }
      yield* tellUnread();
      yield* assembler.close();
      throw error;
    }
    yield* assembler.close();
    const calls = assembler.takeCalls();
    if (calls.length === 0) return { finishReason };
    const ours = await withoutAskingAgain(
      question,
      calls
        .filter((call) => !isCallers(question, call))
        .map((call) => ({ call, wanted: wantedOfCall(question.tools, call, options.logger) })),
    );
    const results = await Promise.all(
      ours.filter(isAtOnce).map(async ({ call, wanted }) => ({
        call,
        ...(wanted.wants === "told" ? wanted : await carryOut(wanted.tool, wanted.args, context, options)),
      })),
    );
    for (const { call, ...result } of results) {
      const event = resultEvent(call.part, result, clock.now());
      size.add(event);
      yield event;
    }
    for (const source of citations.taken()) yield* assembler.add(source);
    signal.throwIfAborted();
    const waiting = ours.filter((one) => !isAtOnce(one));
    for (const { call, wanted } of waiting)
      if (wanted.wants === "approval") yield { type: "tool-call-ask", part: call.part };
    if (waiting.length > 0) return { waits: waiting.map(({ call }) => call.part) };
    if (ours.length < calls.length) return { finishReason: "tool-calls" };
    const called = calls.map((call): ModelAssistantPart => ({
      type: "tool-call",
      toolCallId: call.toolCallId,
      toolName: call.toolName,
      args: parsed(call.argsText) ?? {},
    }));
    messages.push(
      { role: "assistant", parts: [...joined(said), ...called] },
      {
        role: "tool",
        results: results.map(({ call, result, isError }) => ({
          toolCallId: call.toolCallId,
          toolName: call.toolName,
          result,
          isError,
        })),
      },
    );
  }
  throw new ModelError("too-many-steps");
}

/** The instructions, and where there are files, what files are. */
function withWordOfFiles(system: string, messages: readonly ModelMessage[]): string {
  const hasFiles = messages.some(
    (message) => message.role === "user" && message.parts.some(({ type }) => type !== "text"),
  );
  return hasFiles ? `${system}\n\n${filesAreData}` : system;
}

async function readQuestion(
  { model, messages, readFiles }: Question,
  requestLimits: RequestLimits,
): Promise<Read> {
  if (readFiles === undefined) return { messages, unread: [] };
  return await readFiles(messages, { facts: (await model.facts?.()) ?? { reads: [] }, requestLimits });
}

/** Carries out what a person has just allowed. Answers what the reply holds then. */
async function* withAllowed(
  { before, allowed, tools }: Question,
  context: CallContext,
  options: Options,
): AsyncGenerator<RunEvent, readonly Part[]> {
  const calls = allowed.flatMap((part) => {
    const call = before[part];
    return call?.type === "tool-call" ? [{ part, call }] : [];
  });
  const results = await Promise.all(
    calls.map(async ({ part, call }) => ({
      part,
      ...(await carryOutAllowed(tools, call, context, options)),
    })),
  );
  let reply: Reply = { parts: before };
  for (const { part, ...result } of results) {
    const event = resultEvent(part, result, options.clock.now());
    reply = foldOne(reply, event);
    yield event;
  }
  options.signal.throwIfAborted();
  return reply.parts;
}

/** The words of the person's last message. */
function lastAsked(messages: readonly ModelMessage[]): string {
  const last = messages.findLast(({ role }) => role === "user");
  if (last?.role !== "user") return "";
  return last.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

/** Asked anew at each step: what was allowed may have been taken back since. */
async function withoutAskingAgain<Asked extends { wanted: Wanted }>(
  { allowedTools }: Question,
  asked: Asked[],
): Promise<Asked[]> {
  if (asked.every(({ wanted }) => wanted.wants !== "approval")) return asked;
  const allowed = await allowedTools();
  return asked.map((one) => ({ ...one, wanted: withoutAsking(one.wanted, allowed) }));
}

/** Step by step, as the model made them: two steps of nothing but calls are not one that made them side by side. */
function stepsOf(parts: readonly Part[], ends: readonly number[]): ModelMessage[] {
  const starts = [0, ...ends];
  return starts.flatMap((start, index) => modelMessages("assistant", parts.slice(start, starts[index + 1])));
}

type CarriedOutAtOnce = Extract<Wanted, { wants: "nothing" | "approval" }> & { wants: "nothing" };
type AtOnce<Asked> = Asked & { wanted: CarriedOutAtOnce | Extract<Wanted, { wants: "told" }> };

function isAtOnce<Asked extends { wanted: Wanted }>(asked: Asked): asked is AtOnce<Asked> {
  return asked.wanted.wants === "nothing" || asked.wanted.wants === "told";
}

function resultEvent(part: number, { result, isError }: CallResult, at: number): RunEvent {
  return { type: "tool-call-result", part, result, ...(isError ? { is_error: true } : {}), at };
}

/** The text that was broken off; nothing where the answer stopped between its parts. */
function lastText(parts: readonly Part[]): string {
  const last = parts.at(-1);
  return last?.type === "text" ? last.text : "";
}

function declared({ name, description, parameters }: Tool): ToolDeclaration {
  return { name, description, parameters };
}

function isCallers(question: Question, call: PendingCall): boolean {
  return question.callerTools.some((tool) => tool.name === call.toolName);
}

function joined(parts: ModelAssistantPart[]): ModelAssistantPart[] {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return text === "" ? [] : [{ type: "text", text }];
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
