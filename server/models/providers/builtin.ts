import { chanceCharacters } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { cutText } from "#contract/text.ts";
import { systemClock, type Clock } from "#server/lib/clock.ts";
import { timeZoneOf } from "#server/lib/time-zone.ts";
import type {
  Model,
  ModelEvent,
  ModelMessage,
  ModelName,
  ModelRequest,
  ModelToolResult,
  ModelUserPart,
} from "../model.ts";
import type { Language } from "./builtin/language.ts";
import { fold, isWhole, languageFor } from "./builtin/languages.ts";
import { plainMarkdown } from "./builtin/quote.ts";
import { quoteDocuments } from "./builtin/quote-documents.ts";
import { readQuestion } from "./builtin/read-question.ts";
import { readingPaceMs, speak } from "./builtin/speak.ts";
import { tellResult } from "./builtin/tell-result.ts";
import { tellPassages, tellRecent, type Source } from "./builtin/tell-threads.ts";

export const builtinInfo: ModelName = { id: "builtin", name: "Built-in assistant", provider: "builtin" };

export type BuiltinOptions = {
  /** Milliseconds from word to word. */
  wordMs?: number;
  clock?: Clock;
  /** The name of a language model that could be chosen instead, if there is one. */
  connected?: () => string | undefined;
};

/** A message's beginning is enough to see what it asks. */
const charactersRead = 20_000;
/** A longer message is a text that has a question in it. */
const questionCharactersMax = 400;
const recentThreads = 10;
const passagesShown = 3;
/** How much of a question a passage must have. */
const fitMin = 0.4;

/**
 * The assistant that needs no language model. It calls the tools that a language model would call: for sums, units and
 * dates, and for passages of the person's own threads and files, which it quotes. For everything else it says that it
 * cannot, and how to connect a model.
 */
export function createBuiltin(options: BuiltinOptions = {}): Model {
  const pace = { wordMs: options.wordMs ?? readingPaceMs, clock: options.clock ?? systemClock };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const question = lastQuestion(request);
    const step: Step =
      request.purpose === "title" ? { say: "" } : await nextStep(question, request, options.connected?.());
    if ("call" in step) {
      yield* callEvents(step.call);
      yield { type: "finish", reason: "tool-calls", usage: {} };
      return;
    }
    try {
      for await (const text of speak(step.say, pace, signal)) yield { type: "text", text };
    } catch (error) {
      // The clock may throw an error of its own.
      signal.throwIfAborted();
      throw error;
    }
    for (const [index, source] of (step.sources ?? []).entries())
      yield {
        type: "part",
        part: { type: "source", sourceType: "url", id: `place_${index + 1}`, ...source },
      };
    yield { type: "finish", reason: "stop", usage: {} };
  }

  return { info: builtinInfo, stream };
}

type Call = { tool: string; args: JsonObject };
type Step = { say: string; sources?: Source[] } | { call: Call };

type Question = {
  text: string;
  files: readonly ModelUserPart[];
  /** The results of our calls for this question. */
  results: readonly ModelToolResult[];
  /** Whether this conversation has had the instructions for connecting a model. */
  isTold: boolean;
};

/** What a step needs to know. */
type Asked = {
  question: Question;
  request: ModelRequest;
  language: Language;
  /** How a model is connected, or chosen. */
  connect(isShort: boolean): string;
  isTalk(kind: keyof Language["talk"]): boolean;
};

async function nextStep(
  question: Question,
  request: ModelRequest,
  connected: string | undefined,
): Promise<Step> {
  const language = await languageFor(question.text);
  const { phrases, talk } = language;
  const folded = fold(question.text);
  const asked: Asked = {
    question,
    request,
    language,
    connect: (isShort) =>
      connected === undefined
        ? `${phrases.noModel} ${isShort ? phrases.howToConnectShort : phrases.howToConnect}`
        : phrases.choose(connected),
    isTalk: (kind) => folded.length <= questionCharactersMax && isWhole(folded, talk[kind]),
  };
  return (
    talkStep(asked) ??
    workStep(asked) ??
    (asked.isTalk("recent") ? recentStep(asked) : undefined) ??
    (isQuestion(folded, language) ? await quoteStep(asked) : undefined) ?? {
      say: paragraphs(...tellFiles(question, language), phrases.cannot, asked.connect(question.isTold)),
    }
  );
}

function talkStep({ language: { phrases }, connect, isTalk }: Asked): Step | undefined {
  if (isTalk("greeting")) return { say: paragraphs(`${phrases.hello} ${phrases.about}`, connect(true)) };
  if (isTalk("thanks")) return { say: phrases.welcome };
  if (isTalk("about")) return { say: paragraphs(phrases.about, connect(true)) };
  return isTalk("connect") ? { say: connect(false) } : undefined;
}

/** Sums, units and dates. `undefined` also where the tool could not work it out: it was none after all. */
function workStep(asked: Asked): Step | undefined {
  const reading = readQuestion(asked.question.text, asked.language);
  const result = reading && resultOf(asked, { tool: reading.tool, args: reading.args });
  if (result === undefined || "call" in result) return result;
  const told = result.isError ? undefined : tellResult(reading!, result.result, asked.language.locale);
  return told === undefined ? undefined : { say: told };
}

function recentStep(asked: Asked): Step | undefined {
  const found = resultOf(asked, { tool: "list_threads", args: { limit: recentThreads } });
  if (found === undefined || "call" in found) return found;
  return found.isError
    ? { say: asked.language.phrases.searchFailed }
    : tellRecent(found.result, asked.language, timeZoneOf(asked.request.timeZone));
}

/** Passages that answer: of files that came with the question, else of all threads and files. */
async function quoteStep(asked: Asked): Promise<Step | undefined> {
  const { question, language, connect } = asked;
  const { phrases } = language;
  const quotes = (quoted: string): Step => ({
    say: paragraphs(quoted, `${phrases.onlyQuoted} ${connect(true)}`),
  });
  const inFiles = await quoteDocuments(question.files, question.text, phrases);
  if (inFiles !== undefined) return quotes(inFiles);
  const args = { query: question.text.trim(), min_fit: fitMin, limit: passagesShown };
  const found = resultOf(asked, { tool: "search_threads", args });
  if (found === undefined || "call" in found) return found;
  if (found.isError) return { say: phrases.searchFailed };
  const quoted = tellPassages(found.result, language, timeZoneOf(asked.request.timeZone));
  return quoted === undefined ? undefined : quotes(quoted);
}

/** The result of a call, or the call that is to be made first; `undefined` where there is no such tool. */
function resultOf({ question, request }: Asked, call: Call): ModelToolResult | { call: Call } | undefined {
  if (!request.tools.some(({ name }) => name === call.tool)) return undefined;
  return question.results.find(({ toolName }) => toolName === call.tool) ?? { call };
}

function paragraphs(...texts: string[]): string {
  return texts.join("\n\n");
}

function isQuestion(folded: string, { question }: Language): boolean {
  if (folded.length > questionCharactersMax) return false;
  return /[?？]["'”»)\s]*$/.test(folded) || new RegExp(`^(?:${fold(question)})(?!\\p{L})`, "iu").test(folded);
}

function tellFiles({ files }: Question, { phrases }: Language): string[] {
  const names = (type: "document" | "unread-file"): string =>
    files.flatMap((part) => (part.type === type ? [`*${plainMarkdown(part.name)}*`] : [])).join(", ");
  const [kept, unread] = [names("document"), names("unread-file")];
  return [
    ...(kept === "" ? [] : [phrases.keptFiles(kept)]),
    ...(unread === "" ? [] : [phrases.unreadFiles(unread)]),
  ];
}

function* callEvents({ tool, args }: Call): Generator<ModelEvent> {
  const toolCallId = `call_${chanceCharacters(12)}`;
  const argsText = JSON.stringify(args);
  yield { type: "tool-call-start", toolCallId, toolName: tool };
  yield { type: "tool-call-delta", toolCallId, argsText };
  yield { type: "tool-call", toolCallId, toolName: tool, argsText };
}

function lastQuestion({ messages }: ModelRequest): Question {
  const at = messages.findLastIndex(({ role }) => role === "user");
  const message = messages[at];
  const parts = message?.role === "user" ? message.parts : [];
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return {
    text: cutText(text, charactersRead),
    files: parts.filter(({ type }) => type !== "text"),
    results: messages.slice(at + 1).flatMap((later) => (later.role === "tool" ? later.results : [])),
    isTold: messages.slice(0, Math.max(at, 0)).some(saysHowToConnect),
  };
}

function saysHowToConnect(message: ModelMessage): boolean {
  return (
    message.role === "assistant" &&
    message.parts.some((part) => part.type === "text" && part.text.includes("OPENAI_BASE_URL"))
  );
}
