import { randomCharacters } from "#contract/ids.ts";
import type { JsonObject } from "#contract/json.ts";
import { cutText } from "#contract/text.ts";
import { timeZoneOf } from "#server/lib/time-zone.ts";
import type { Model, ModelEvent, ModelName, ModelRequest, ModelToolResult } from "../model.ts";
import { presentFacts } from "./present-facts.ts";
import type { Provider } from "./provider.ts";
import type { Language } from "./builtin/language.ts";
import { fold, isWhole, languageFor } from "./builtin/choose-language.ts";
import { parseQuestion } from "./builtin/parse-question.ts";
import { formatResult } from "./builtin/format-result.ts";
import { formatPassages, formatThreads, type Source } from "./builtin/format-threads.ts";

export const builtinInfo: ModelName = {
  id: "builtin",
  name: "Built-in assistant",
  provider: "builtin",
  provider_name: "Parlance",
};

/** The assistant that is always available. Its id has no provider. `suggestedModel` is as for `createBuiltinModel`. */
export function createBuiltinProvider(suggestedModel: () => string | undefined): Provider {
  const model = createBuiltinModel(suggestedModel);
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

/** A longer message is not treated as a question. */
const questionLengthMax = 400;
const threadsShown = 10;
const passagesShown = 3;
/** How much of the question a passage must match, from 0 to 1. */
const fitMin = 0.4;

/**
 * What answers while no language model is connected. It calls the same tools as language models: for calculations and
 * dates, and for the person's own threads and passages in them and in files, which it quotes. To everything else it says
 * what it can do and how to connect a model, or asks guests to ask for one. `suggestedModel` names a language model that the
 * person could choose instead, if there is one.
 */
export function createBuiltinModel(suggestedModel?: () => string | undefined): Model {
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const step: Step =
      request.purpose === "answer" ? await nextStep(request, suggestedModel?.()) : { text: "" };
    if ("call" in step) {
      const { tool: toolName, args } = step.call;
      const toolCallId = `call_${randomCharacters(12)}`;
      yield { type: "tool-call", toolCallId, toolName, argsText: JSON.stringify(args) };
      yield { type: "finish", reason: "tool-calls", usage: {} };
      return;
    }
    if (step.text !== "") yield { type: "text", text: step.text };
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

async function nextStep(request: ModelRequest, suggestedModel: string | undefined): Promise<Step> {
  const { text: question, results } = lastQuestion(request);
  const language = await languageFor(question);
  const { phrases, locale } = language;
  const folded = fold(question);
  const isShort = folded.length <= questionLengthMax;
  const timeZone = timeZoneOf(request.timeZone);
  const instructions =
    suggestedModel === undefined
      ? `${phrases.noModel} ${request.managesModels === true ? phrases.connect : phrases.askOperator}`
      : phrases.choose(suggestedModel);

  /** The call if it has not been made yet, or what is made of its result; `undefined` if the tool is not available. */
  const answerWith = (
    tool: string,
    args: JsonObject,
    answer: (result: ModelToolResult) => Step | undefined,
  ): Step | undefined => {
    if (!request.tools.some(({ name }) => name === tool)) return undefined;
    const result = results.find(({ toolName }) => toolName === tool);
    return result === undefined ? { call: { tool, args } } : answer(result);
  };
  const searched =
    (format: (result: ModelToolResult["result"]) => Step | undefined) =>
    ({ isError, result }: ModelToolResult) =>
      isError ? { text: phrases.searchFailed } : format(result);

  const parsed = parseQuestion(question, language);
  // Also `undefined` if the tool fails, because then it was another question.
  const calculated =
    parsed &&
    answerWith(parsed.tool, parsed.args, ({ isError, result }) => {
      const text = isError ? undefined : formatResult(parsed, result, locale);
      return text === undefined ? undefined : { text };
    });
  const listed = () =>
    answerWith(
      "list_threads",
      { limit: threadsShown },
      searched((result) => formatThreads(result, language, timeZone)),
    );
  const quoted = () =>
    answerWith(
      "search_threads",
      { query: question.trim(), min_fit: fitMin, limit: passagesShown },
      searched((result) => {
        const quotes = formatPassages(result, language, timeZone);
        return quotes === undefined
          ? undefined
          : { text: `${quotes}\n\n${phrases.onlyQuoted} ${instructions}` };
      }),
    );
  return (
    calculated ??
    (isShort && isWhole(folded, language.recent) ? listed() : undefined) ??
    (isShort && isQuestion(folded, language) ? quoted() : undefined) ?? {
      text: `${phrases.about}\n\n${instructions}`,
    }
  );
}

function isQuestion(folded: string, { question }: Language): boolean {
  return /[?？]["'”»)\s]*$/.test(folded) || new RegExp(`^(?:${fold(question)})(?!\\p{L})`, "iu").test(folded);
}

/** The beginning of the last message, which is enough to see that it is too long, and the results of our calls for it. */
function lastQuestion({ messages }: ModelRequest): { text: string; results: readonly ModelToolResult[] } {
  const index = messages.findLastIndex(({ role }) => role === "user");
  const message = messages[index];
  const parts = message?.role === "user" ? message.parts : [];
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return {
    text: cutText(text, 2 * questionLengthMax),
    results: messages.slice(index + 1).flatMap((later) => (later.role === "tool" ? later.results : [])),
  };
}
