import { randomCharacters } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { cutText } from "#contract/text.ts";
import { systemClock, type Clock } from "#server/lib/clock.ts";
import { timeZoneOf } from "#server/lib/time-zone.ts";
import type { Model, ModelEvent, ModelName, ModelRequest, ModelToolResult, ModelUserPart } from "../model.ts";
import { presentFacts } from "./present-facts.ts";
import type { Provider } from "./provider.ts";
import type { Language } from "./builtin/language.ts";
import { fold, isWhole, languageFor } from "./builtin/languages.ts";
import { plainMarkdown } from "./builtin/plain-markdown.ts";
import { quoteDocuments } from "./builtin/quote-documents.ts";
import { parseQuestion } from "./builtin/parse-question.ts";
import { formatResult } from "./builtin/format-result.ts";
import { formatPassages, formatThreads, type Source } from "./builtin/format-threads.ts";

export const builtinInfo: ModelName = {
  id: "builtin",
  name: "Built-in assistant",
  provider: "builtin",
  provider_name: "Parlance",
};

/** The assistant that is always available. Its id has no provider. */
export function createBuiltinProvider(options: BuiltinOptions): Provider {
  const model = createBuiltinModel(options);
  return {
    id: builtinInfo.id,
    list: async () => [{ ...builtinInfo, ...presentFacts({ reads: [] }), is_local: true }],
    get: async (id) => (id === undefined || id === builtinInfo.id ? model : undefined),
    listed: async () => ({ models: [] }),
    embedder: () => undefined,
    forgetList() {},
    close() {},
  };
}

type BuiltinOptions = {
  /** Milliseconds between two words. */
  wordMs?: number | undefined;
  clock?: Clock;
  /** The name of a language model that the person could choose instead, if there is one. */
  suggestedModel?: () => string | undefined;
};

/** How much of a message is read. */
const messageLengthMax = 20_000;
/** A longer message is not treated as a question. */
const questionLengthMax = 400;
const threadsShown = 10;
const passagesShown = 3;
/** How much of the question a passage must match, from 0 to 1. */
const fitMin = 0.4;

/**
 * An assistant without a language model. It calls the same tools as language models: for calculations, units and dates,
 * and for passages of the person's own threads and files, which it quotes. To everything else it answers that it
 * cannot, and explains how to connect a model, or asks guests to ask for one.
 */
export function createBuiltinModel(options: BuiltinOptions = {}): Model {
  const pace = { wordMs: options.wordMs ?? readingPaceMs, clock: options.clock ?? systemClock };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const question = lastQuestion(request);
    const step: Step =
      request.purpose !== "answer"
        ? { text: "" }
        : await nextStep(question, request, options.suggestedModel?.());
    if ("call" in step) {
      const { tool: toolName, args } = step.call;
      const toolCallId = `call_${randomCharacters(12)}`;
      yield { type: "tool-call", toolCallId, toolName, argsText: JSON.stringify(args) };
      yield { type: "finish", reason: "tool-calls", usage: {} };
      return;
    }
    try {
      for await (const text of streamWords(step.text, pace, signal)) yield { type: "text", text };
    } catch (error) {
      // An aborted wait may throw another error than the signal's reason.
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
type Step = { text: string; sources?: Source[] } | { call: Call };

type Question = {
  text: string;
  files: readonly ModelUserPart[];
  /** The results of our calls for this question. */
  results: readonly ModelToolResult[];
};

type StepContext = {
  question: Question;
  request: ModelRequest;
  language: Language;
  /** Names the model to choose, or explains how to connect one, in a sentence or in detail. */
  instructions(detail?: "detailed"): string;
  isSmallTalk(kind: keyof Language["smallTalk"]): boolean;
};

async function nextStep(
  question: Question,
  request: ModelRequest,
  suggestedModel: string | undefined,
): Promise<Step> {
  const language = await languageFor(question.text);
  const { phrases, smallTalk } = language;
  const folded = fold(question.text);
  const context: StepContext = {
    question,
    request,
    language,
    instructions(detail) {
      if (suggestedModel !== undefined) return phrases.choose(suggestedModel);
      const howTo = detail ? phrases.howToConnect : phrases.howToConnectShort;
      return `${phrases.noModel} ${request.managesModels === true ? howTo : phrases.askOperator}`;
    },
    isSmallTalk: (kind) => folded.length <= questionLengthMax && isWhole(folded, smallTalk[kind]),
  };
  return (
    smallTalkStep(context) ??
    calculationStep(context) ??
    (context.isSmallTalk("recent") ? recentThreadsStep(context) : undefined) ??
    (isQuestion(folded, language) ? await quoteStep(context) : undefined) ?? {
      text: paragraphs(...describeFiles(question, language), phrases.cannot, context.instructions()),
    }
  );
}

function smallTalkStep({ language: { phrases }, instructions, isSmallTalk }: StepContext): Step | undefined {
  if (isSmallTalk("greeting"))
    return { text: paragraphs(`${phrases.hello} ${phrases.about}`, instructions()) };
  if (isSmallTalk("thanks")) return { text: phrases.welcome };
  if (isSmallTalk("about")) return { text: paragraphs(phrases.about, instructions()) };
  return isSmallTalk("connect") ? { text: instructions("detailed") } : undefined;
}

/**
 * Answers calculations, conversions and dates. Also `undefined` if the tool fails, because then it was another
 * question.
 */
function calculationStep(context: StepContext): Step | undefined {
  const parsed = parseQuestion(context.question.text, context.language);
  const result = parsed && resultOrCall(context, { tool: parsed.tool, args: parsed.args });
  if (result === undefined || "call" in result) return result;
  const text = result.isError ? undefined : formatResult(parsed!, result.result, context.language.locale);
  return text === undefined ? undefined : { text };
}

function recentThreadsStep(context: StepContext): Step | undefined {
  const listed = resultOrCall(context, { tool: "list_threads", args: { limit: threadsShown } });
  if (listed === undefined || "call" in listed) return listed;
  return listed.isError
    ? { text: context.language.phrases.searchFailed }
    : formatThreads(listed.result, context.language, timeZoneOf(context.request.timeZone));
}

/** Quotes passages of the files that are attached to the question, or else of all threads and files. */
async function quoteStep(context: StepContext): Promise<Step | undefined> {
  const { question, language, instructions } = context;
  const { phrases } = language;
  const toStep = (quotes: string): Step => ({
    text: paragraphs(quotes, `${phrases.onlyQuoted} ${instructions()}`),
  });
  const fileQuotes = await quoteDocuments(question.files, question.text, phrases);
  if (fileQuotes !== undefined) return toStep(fileQuotes);
  const args = { query: question.text.trim(), min_fit: fitMin, limit: passagesShown };
  const found = resultOrCall(context, { tool: "search_threads", args });
  if (found === undefined || "call" in found) return found;
  if (found.isError) return { text: phrases.searchFailed };
  const quotes = formatPassages(found.result, language, timeZoneOf(context.request.timeZone));
  return quotes === undefined ? undefined : toStep(quotes);
}

/** The result of a call, or the call if it has not been made yet; `undefined` if the tool is not available. */
function resultOrCall(
  { question, request }: StepContext,
  call: Call,
): ModelToolResult | { call: Call } | undefined {
  if (!request.tools.some(({ name }) => name === call.tool)) return undefined;
  return question.results.find(({ toolName }) => toolName === call.tool) ?? { call };
}

function paragraphs(...texts: string[]): string {
  return texts.join("\n\n");
}

function isQuestion(folded: string, { question }: Language): boolean {
  if (folded.length > questionLengthMax) return false;
  return /[?？]["'”»)\s]*$/.test(folded) || new RegExp(`^(?:${fold(question)})(?!\\p{L})`, "iu").test(folded);
}

function describeFiles({ files }: Question, { phrases }: Language): string[] {
  const names = (type: "document" | "unread-file"): string =>
    files.flatMap((part) => (part.type === type ? [`*${plainMarkdown(part.name)}*`] : [])).join(", ");
  const [read, unread] = [names("document"), names("unread-file")];
  return [read && phrases.keptFiles(read), unread && phrases.unreadFiles(unread)].filter(
    (text) => text !== "",
  );
}

function lastQuestion({ messages }: ModelRequest): Question {
  const index = messages.findLastIndex(({ role }) => role === "user");
  const message = messages[index];
  const parts = message?.role === "user" ? message.parts : [];
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return {
    text: cutText(text, messageLengthMax),
    files: parts.filter(({ type }) => type !== "text"),
    results: messages.slice(index + 1).flatMap((later) => (later.role === "tool" ? later.results : [])),
  };
}

/** 50 words per second: fast readers can follow, and people see that the answer streams. */
const readingPaceMs = 20;

/** Yields the words of `text`, each with the space before it, `wordMs` apart. Throws on abort. */
async function* streamWords(
  text: string,
  pace: { wordMs: number; clock: Clock },
  signal: AbortSignal,
): AsyncGenerator<string> {
  let first = true;
  for (const [word] of text.matchAll(/\s*\S+|\s+$/g)) {
    if (!first && pace.wordMs > 0) await pace.clock.sleep(pace.wordMs, signal);
    first = false;
    signal.throwIfAborted();
    yield word;
  }
}
