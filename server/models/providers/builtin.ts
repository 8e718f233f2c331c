import type { Temporal } from "temporal-polyfill";
import { chanceCharacters } from "#contract/ids.ts";
import { cutText } from "#contract/text.ts";
import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { systemClock, type Clock } from "#server/clock.ts";
import type {
  Model,
  ModelEvent,
  ModelMessage,
  ModelName,
  ModelRequest,
  ModelToolResult,
  ModelUserPart,
} from "../model.ts";
import { timeZoneOf } from "#server/time-zone.ts";
import { isArabic } from "./builtin/arabic.ts";
import { failureInArabic, restInArabic } from "./builtin/connect-arabic.ts";
import type { Ask } from "./builtin/ask.ts";
import { builtinId, lack, remedy, saysRemedy, type Situation } from "./builtin/connect.ts";
import { aboutFiles } from "./builtin/files/about.ts";
import { inArabic as filesInArabic } from "./builtin/files/phrases-arabic.ts";
import { inEnglish as filesInEnglish } from "./builtin/files/phrases.ts";
import { recognise, type Recognised } from "./builtin/recognise.ts";
import { smallTalk } from "./builtin/small-talk.ts";
import { readingPaceMs, speak } from "./builtin/speak.ts";
import { titleOf } from "./builtin/title.ts";
import { threadStep, threadTools, type Source } from "./builtin/threads/answer.ts";
import { dayIn } from "./builtin/threads/period.ts";
import { inArabic, sayKeptInArabic } from "./builtin/threads/phrases-arabic.ts";
import { inEnglish, sayKept } from "./builtin/threads/phrases.ts";
import { isQuestion, readRecall, type Recall } from "./builtin/threads/recall.ts";
import { isStatement, isTask, topicOf, unanswerable } from "./builtin/unanswerable.ts";

export const builtinInfo: ModelName = { id: builtinId, name: "Built-in assistant", provider: "builtin" };

export type BuiltinOptions = {
  /** Milliseconds from word to word. */
  wordMs?: number;
  clock?: Clock;
  /** The name of a language model that could be chosen instead, if there is one. */
  connected?: () => string | undefined;
};

/** A message's beginning is enough to see what it asks. */
const charactersRead = 20_000;

/**
 * The assistant that needs no language model. It is honest: it says that none is connected and how to connect one. What
 * it recognises (sums, percentages, units, dates, what was said before) it works out and looks up by calling the same
 * tools that a language model would.
 */
export function createBuiltin(options: BuiltinOptions = {}): Model {
  const pace = { wordMs: options.wordMs ?? readingPaceMs, clock: options.clock ?? systemClock };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    try {
      const step =
        request.purpose === "title"
          ? { say: titleOf(lastQuestion(request).text) }
          : await nextStep(request, situationOf(request, options), whenOf(request, pace.clock.now()));
      if ("calls" in step) {
        yield* callEvents(step.calls);
        yield { type: "finish", reason: "tool-calls", usage: {} };
        return;
      }
      for await (const text of speak(step.say, pace, signal)) yield { type: "text", text };
      for (const [index, source] of (step.sources ?? []).entries())
        yield { type: "source", id: `place_${index + 1}`, ...source };
      yield { type: "finish", reason: "stop", usage: {} };
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  return { info: builtinInfo, stream };
}

function situationOf({ tools }: ModelRequest, options: BuiltinOptions): Situation {
  const looksBack = threadTools.every((name) => tools.some((tool) => tool.name === name));
  return { connected: options.connected?.(), looksBack };
}

/** Where the person is, and which day it is there. */
type When = { timeZone: string; today: Temporal.PlainDate };

function whenOf(request: ModelRequest, nowMs: number): When {
  const timeZone = timeZoneOf(request.timeZone);
  return { timeZone, today: dayIn(timeZone, nowMs) };
}

type Call = { tool: string; args: JsonObject };
type Step = { say: string; sources?: Source[] } | { calls: readonly Call[] };

type Question = {
  text: string;
  /** What came with it, or else with the last message that brought anything. */
  files: readonly ModelUserPart[];
  areEarlier: boolean;
  /** The results of our calls, in their order; none before we made them. */
  results: ModelToolResult[];
  told: boolean;
};

async function nextStep(request: ModelRequest, situation: Situation, when: When): Promise<Step> {
  const question = lastQuestion(request);
  const recognised = recognise(question.text);
  const known = new Set(request.tools.map(({ name }) => name));
  const asks = recognised.asks.filter(({ calls }) => calls.every(({ tool }) => known.has(tool)));
  const calls = asks.flatMap((ask) => ask.calls);
  if (calls.length === 0) {
    const read = question.areEarlier ? undefined : await fromFiles(question, situation);
    if (read !== undefined) return read;
    const talk = smallTalk(question.text, situation);
    return talk === undefined ? await fromBefore(question, situation, when) : { say: talk };
  }
  if (question.results.length < calls.length) return { calls };
  return { say: answerFrom(asks, question, recognised, situation) };
}

/** What can be read off the files that came with the question, or before it. */
async function fromFiles(question: Question, situation: Situation): Promise<Step | undefined> {
  const { files, areEarlier, text, told } = question;
  const phrases = isArabic(text) ? filesInArabic : filesInEnglish;
  const said = await aboutFiles({ parts: files, isEarlier: areEarlier, question: text, phrases });
  return said === undefined ? undefined : { say: `${said}\n\n${phrases.withoutModel(situation, told)}` };
}

/** Earlier files are closer to a question than earlier threads, unless it asks for those. */
async function fromBefore(question: Question, situation: Situation, when: When): Promise<Step> {
  const asksForThreads = situation.looksBack && readRecall(question.text, when.today) !== undefined;
  const read = asksForThreads ? undefined : await fromFiles(question, situation);
  return read ?? (await fromThreads(question, situation, when));
}

/** What was said before may answer what only a language model could answer otherwise. */
async function fromThreads(question: Question, situation: Situation, when: When): Promise<Step> {
  const { text, results, told } = question;
  const cannot = (): Step => ({
    say: unanswerable({ files: unopened(question), told, message: text, situation }),
  });
  if (!situation.looksBack) return cannot();
  const recall = readRecall(text, when.today) ?? openQuestion(text);
  if (recall !== undefined) {
    const phrases = isArabic(text) ? inArabic(when.timeZone) : inEnglish(when.timeZone);
    const step = await threadStep({ recall, results, text, phrases, situation, told });
    if (step === "nothing") return cannot();
    return "call" in step ? { calls: [step.call] } : step;
  }
  const isNote = (question.areEarlier || question.files.length === 0) && isStatement(text);
  if (!isNote) return cannot();
  return { say: (isArabic(text) ? sayKeptInArabic : sayKept)(topicOf(text), { situation, told }) };
}

/** A question that may be about what was said; tasks are not. */
function openQuestion(text: string): Recall | undefined {
  if (text.length > questionCharactersMax || isTask(text) || !isQuestion(text)) return undefined;
  return { kind: "search", query: text.trim(), open: true };
}

/** Longer than this it is a text with a question in it. */
const questionCharactersMax = 400;

function answerFrom(
  asks: readonly Ask[],
  question: Question,
  { rest, leftOut }: Recognised,
  situation: Situation,
): string {
  const answers: string[] = [];
  let at = 0;
  for (const ask of asks) {
    const results = question.results.slice(at, at + ask.calls.length);
    at += ask.calls.length;
    const failed = results.find(({ isError }) => isError);
    answers.push(
      failed === undefined
        ? ask.phrase(results.map(({ result }) => result))
        : failure(ask, failed.result, isArabic(question.text)),
    );
  }
  const list = answers.length === 1 ? (answers[0] ?? "") : answers.map((answer) => `- ${answer}`).join("\n");
  const topic = rest.length === 0 ? undefined : topicOf(rest.join(" "));
  const count = answers.length;
  if (isArabic(question.text))
    return restInArabic({ list, count, leftOut, topic }, { situation, told: question.told });
  const said =
    leftOut === 0 ? list : `${list}\n\nI answer ${count} at a time; ask the other ${leftOut} again.`;
  if (topic === undefined) return said;
  return `${said}\n\nThe rest of your message (*${topic}*) is for a language model, and ${lack(situation)}. ${remedy(situation, question.told)}`;
}

/** A run tells what went wrong with a call as `{ error }`. */
function failure(ask: Ask, told: Json, inArabic: boolean): string {
  const error = isJsonObject(told) ? told["error"] : told;
  const says = typeof error === "string" ? error : JSON.stringify(error);
  const about = topicOf(ask.about, 20);
  return inArabic ? failureInArabic(about, says) : `I could not work out *${about}*. ${says}`;
}

function* callEvents(calls: readonly Call[]): Generator<ModelEvent> {
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
  const parts = partsAt(messages, at);
  const files = filesAmong(parts);
  const earlierAt = messages.findLastIndex((_, index) => filesAmong(partsAt(messages, index)).length > 0);
  return {
    text: cutText(
      parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
      charactersRead,
    ),
    files: files.length > 0 ? files : filesAmong(partsAt(messages, earlierAt)),
    areEarlier: files.length === 0,
    results: messages.slice(at + 1).flatMap((later) => (later.role === "tool" ? later.results : [])),
    told: messages.slice(0, Math.max(at, 0)).some(saysHowToConnect),
  };
}

/** Files that came with the message and that nobody has opened. */
function unopened({ files, areEarlier }: Question): string[] {
  return areEarlier
    ? []
    : files.flatMap((part) => (part.type === "file" ? [part.filename ?? part.mediaType] : []));
}

function partsAt(messages: readonly ModelMessage[], at: number): readonly ModelUserPart[] {
  const message = messages[at];
  return message?.role === "user" ? message.parts : [];
}

function filesAmong(parts: readonly ModelUserPart[]): ModelUserPart[] {
  return parts.filter(({ type }) => type !== "text");
}

function saysHowToConnect(message: ModelMessage): boolean {
  return (
    message.role === "assistant" &&
    message.parts.some((part) => part.type === "text" && saysRemedy(part.text))
  );
}
