import { chanceCharacters } from "#contract/ids.ts";
import type { Json } from "#contract/json.ts";
import type { ModelInfo } from "#contract/models.ts";
import { systemClock, type Clock } from "#server/clock.ts";
import type { Model, ModelEvent, ModelMessage, ModelRequest, ModelToolResult } from "../model.ts";
import type { Ask } from "./builtin/ask.ts";
import { howToConnect } from "./builtin/connect.ts";
import { recognise, type Recognised } from "./builtin/recognise.ts";
import { smallTalk } from "./builtin/small-talk.ts";
import { readingPaceMs, speak } from "./builtin/speak.ts";
import { titleOf } from "./builtin/title.ts";
import { topicOf, unanswerable } from "./builtin/unanswerable.ts";

export const builtinInfo: ModelInfo = { id: "builtin", name: "Built-in assistant", provider: "builtin" };

/**
 * The assistant that needs no language model. It is honest: it says that none is connected and how to connect one. What
 * it recognises (sums, percentages, units, dates) it works out by calling the same tools that a language model would.
 */
export function createBuiltin(options: { wordMs?: number; clock?: Clock } = {}): Model {
  const pace = { wordMs: options.wordMs ?? readingPaceMs, clock: options.clock ?? systemClock };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    try {
      const step =
        request.purpose === "title" ? { say: titleOf(lastQuestion(request).text) } : nextStep(request);
      if ("calls" in step) {
        yield* callEvents(step.calls);
        yield { type: "finish", reason: "tool-calls", usage: {} };
        return;
      }
      for await (const text of speak(step.say, pace, signal)) yield { type: "text", text };
      yield { type: "finish", reason: "stop", usage: {} };
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  return { info: builtinInfo, stream };
}

type Step = { say: string } | { calls: Ask["calls"] };

type Question = {
  text: string;
  files: string[];
  /** The results of our calls, in their order; none before we made them. */
  results: ModelToolResult[];
  told: boolean;
};

function nextStep(request: ModelRequest): Step {
  const question = lastQuestion(request);
  const recognised = recognise(question.text);
  const known = new Set(request.tools.map(({ name }) => name));
  const asks = recognised.asks.filter(({ calls }) => calls.every(({ tool }) => known.has(tool)));
  const calls = asks.flatMap((ask) => ask.calls);
  if (calls.length === 0)
    return { say: smallTalk(question.text) ?? unanswerable({ ...question, message: question.text }) };
  if (question.results.length < calls.length) return { calls };
  return { say: answerFrom(asks, question, recognised) };
}

function answerFrom(asks: readonly Ask[], question: Question, { rest }: Recognised): string {
  const answers: string[] = [];
  let at = 0;
  for (const ask of asks) {
    const results = question.results.slice(at, at + ask.calls.length);
    at += ask.calls.length;
    const failed = results.find(({ isError }) => isError);
    answers.push(
      failed === undefined ? ask.phrase(results.map(({ result }) => result)) : failure(ask, failed.result),
    );
  }
  const said = answers.length === 1 ? (answers[0] ?? "") : answers.map((answer) => `- ${answer}`).join("\n");
  if (rest.length === 0) return said;
  const remainder = `The rest of your message (*${topicOf(rest.join(" "))}*) is for a language model, and none is connected here.`;
  return `${said}\n\n${remainder}${question.told ? "" : ` ${howToConnect}`}`;
}

function failure(ask: Ask, says: Json): string {
  return `I could not work out *${topicOf(ask.about, 20)}*. ${typeof says === "string" ? says : JSON.stringify(says)}`;
}

function* callEvents(calls: Ask["calls"]): Generator<ModelEvent> {
  for (const { tool, args } of calls) {
    const toolCallId = `call_${chanceCharacters(12)}`;
    const argsText = JSON.stringify(args);
    yield { type: "tool-call-start", toolCallId, toolName: tool };
    yield { type: "tool-call-delta", toolCallId, argsText };
    yield { type: "tool-call", toolCallId, toolName: tool, argsText };
  }
}

function lastQuestion({ messages }: ModelRequest): Question {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const message = messages[at];
  const parts = message?.role === "user" ? message.parts : [];
  return {
    text: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
    files: parts.flatMap((part) => (part.type === "file" ? [part.filename ?? part.mediaType] : [])),
    results: messages.slice(at + 1).flatMap((later) => (later.role === "tool" ? later.results : [])),
    told: messages.slice(0, Math.max(at, 0)).some(saysHowToConnect),
  };
}

function saysHowToConnect(message: ModelMessage): boolean {
  return (
    message.role === "assistant" &&
    message.parts.some((part) => part.type === "text" && part.text.includes("OPENAI_BASE_URL"))
  );
}
