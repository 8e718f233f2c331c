import type { Json } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { FinishReason, RunEvent, Usage } from "#contract/run-events.ts";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import {
  ModelError,
  type Model,
  type ModelAssistantPart,
  type ModelMessage,
  type ToolDeclaration,
} from "../models/model.ts";
import { ToolError, type Tool, type ToolContext } from "../tools/tool.ts";
import { modelMessages } from "../parts/to-model.ts";
import { trimRepeat } from "./trim-repeat.ts";
import { createAssembler, type PendingCall } from "./assemble.ts";

export type Question = {
  model: Model;
  system: string;
  messages: ModelMessage[];
  /** Tools that we carry out. */
  tools: Tool[];
  /** Tools that the caller carries out: a call of one ends the answer with `tool-calls`. */
  callerTools: ToolDeclaration[];
  context: Omit<ToolContext, "signal" | "nowMs">;
  /** What the reply holds already, where it is gone on with. */
  before: readonly Part[];
};

export type AnswerEnd = { finishReason: FinishReason; usage: Usage };

/**
 * Asks a model, carries out the tools it calls, tells it the results, and so on until it is done. Gives the run events
 * as they come; what it answers at last says how it ended. Throws `ModelError` and the signal's reason, each after
 * closing the part that was open.
 */
export async function* answer(
  question: Question,
  options: { clock: Clock; logger: Logger; signal: AbortSignal },
): AsyncGenerator<RunEvent, AnswerEnd> {
  const { clock, signal } = options;
  const assembler = createAssembler({ clock, before: question.before });
  const messages = [...question.messages, ...modelMessages("assistant", question.before)];
  const tools = [...question.tools.map(declared), ...question.callerTools];
  const usage: Usage = {};
  let bytes = 0;
  for (let step = 1; step <= limits.runStepsMax; step++) {
    let finishReason: FinishReason = "other";
    const said: ModelAssistantPart[] = [];
    try {
      const goesOn = step === 1 && messages.at(-1)?.role === "assistant";
      const request = { system: question.system, messages, tools, goesOn, purpose: "answer" } as const;
      for await (const event of trimRepeat(
        goesOn ? lastText(question.before) : "",
        question.model.stream(request, signal),
      )) {
        if (event.type === "finish") {
          finishReason = event.reason;
          addUsage(usage, event.usage);
        }
        if (event.type === "text") said.push({ type: "text", text: event.text });
        const made = assembler.take(event);
        for (const runEvent of made) bytes += sizeOf(runEvent);
        yield* made;
        if (bytes > limits.runBytesMax) throw new ModelError("answer-too-long");
      }
    } catch (error) {
      yield* assembler.close();
      throw error;
    }
    yield* assembler.close();
    const calls = assembler.takeCalls();
    if (calls.length === 0) return { finishReason, usage };
    const ours = calls.filter((call) => !isCallers(question, call));
    const results = await Promise.all(ours.map(async (call) => await carryOut(call, question, options)));
    for (const { call, result, isError } of results) {
      const event: RunEvent = {
        type: "tool-call-result",
        part: call.part,
        result,
        ...(isError ? { is_error: true } : {}),
        at: clock.now(),
      };
      bytes += sizeOf(event);
      yield event;
    }
    signal.throwIfAborted();
    if (ours.length < calls.length) return { finishReason: "tool-calls", usage };
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

async function carryOut(
  call: PendingCall,
  question: Question,
  options: { clock: Clock; logger: Logger; signal: AbortSignal },
): Promise<{ call: PendingCall; result: Json; isError: boolean }> {
  const tool = question.tools.find((candidate) => candidate.name === call.toolName);
  if (tool === undefined)
    return { call, result: { error: `There is no tool named ${call.toolName}.` }, isError: true };
  const args = call.argsText === "" ? {} : parsed(call.argsText);
  if (args === undefined)
    return { call, result: { error: "The arguments are not valid JSON." }, isError: true };
  try {
    const result = await tool.run(args, {
      ...question.context,
      nowMs: options.clock.now(),
      signal: options.signal,
    });
    return { call, result, isError: false };
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof ToolError) return { call, result: { error: error.message }, isError: true };
    options.logger.error({ tool: tool.name, err: error }, "a tool failed");
    return { call, result: { error: "The tool failed." }, isError: true };
  }
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

function addUsage(sum: Usage, more: Usage): void {
  for (const kind of ["input", "output", "reasoning", "cached"] as const) {
    const count = more[kind];
    if (count !== undefined) sum[kind] = (sum[kind] ?? 0) + count;
  }
}

function sizeOf(event: RunEvent): number {
  if (event.type === "text-delta" || event.type === "reasoning-delta") return event.text.length;
  if (event.type === "tool-call-delta") return event.args_text.length;
  if (event.type === "tool-call-result") return JSON.stringify(event.result).length;
  if (event.type === "image-add") return event.image.image.length;
  if (event.type === "file-add") return event.file.data.length;
  return 0;
}
