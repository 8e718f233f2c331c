import type { JsonObject } from "#contract/json.ts";
import type { ModelToolResult } from "#server/models/model.ts";
import type { Situation } from "../connect.ts";
import type { Phrases } from "./phrases.ts";
import type { Recall } from "./recall.ts";
import { numbering, passagesIn, threadIn, threadsIn, type FoundPassage, type ReadThread } from "./results.ts";
import { builtinId } from "../connect.ts";
import { pickSentences, type Said } from "./summary.ts";

export type Source = { url: string; title: string };

/** What comes next of an answer from threads; `nothing`: they have none for a question that may be about anything. */
export type ThreadStep =
  | { call: { tool: ThreadTool; args: JsonObject } }
  | { say: string; sources?: Source[] }
  | "nothing";

export type ThreadTool = "search_threads" | "list_threads" | "read_thread";

export const threadTools: readonly ThreadTool[] = ["search_threads", "list_threads", "read_thread"];

type Asked = {
  recall: Recall;
  /** What our calls for this question have given so far. */
  results: readonly ModelToolResult[];
  /** The question, as it was written. */
  text: string;
  phrases: Phrases;
  situation: Situation;
  told: boolean;
};

const listMax = 10;
const summarySentences = 5;
const messagesRead = 100;
/** Of what was asked about, how much must be in a passage: where the person says that it is there, and where we only try. */
const fits = { asked: 0.25, tried: 0.4 };
const shownMax = 3;

export async function threadStep(asked: Asked): Promise<ThreadStep> {
  const failed = asked.results.find(({ isError }) => isError);
  if (failed !== undefined) return { say: asked.phrases.failed };
  switch (asked.recall.kind) {
    case "list":
      return listed(asked, asked.recall);
    case "search":
      return searched(asked, asked.recall);
    case "summary":
      return await summarised(asked, asked.recall);
  }
}

function listed(
  { results, phrases }: Asked,
  { period, limit }: Extract<Recall, { kind: "list" }>,
): ThreadStep {
  const [result] = results;
  if (result === undefined)
    return {
      call: {
        tool: "list_threads",
        args: { ...periodArgs(period), limit: Math.min(limit ?? listMax, 50) },
      },
    };
  const numbers = numbering(0);
  const threads = threadsIn(result.result).map((thread) => ({
    ...thread,
    number: numbers.number({ threadId: thread.threadId }, thread.title),
  }));
  return { say: phrases.list(threads, period), sources: numbers.sources() };
}

function searched(
  { results, phrases, situation, told }: Asked,
  { query, period, open }: Extract<Recall, { kind: "search" }>,
): ThreadStep {
  const [result] = results;
  if (result === undefined) {
    const fit = open === true ? fits.tried : fits.asked;
    const args = { query, ...periodArgs(period), min_fit: fit, limit: shownMax };
    return { call: { tool: "search_threads", args } };
  }
  const shown = passagesIn(result.result);
  const help = { situation, told };
  if (open !== true)
    return {
      say: shown.length === 0 ? phrases.nothingFound(query, period, help) : phrases.found(shown),
    };
  return shown.length === 0 ? "nothing" : { say: `${phrases.found(shown)}\n\n${phrases.noAnswer(help)}` };
}

async function summarised(asked: Asked, { of }: Extract<Recall, { kind: "summary" }>): Promise<ThreadStep> {
  if (of === "this") return await sayThread(asked, undefined, asked.results[0], []);
  const [found, read] = asked.results;
  if (found === undefined)
    return of === "last"
      ? { call: { tool: "list_threads", args: { limit: 1 } } }
      : { call: { tool: "search_threads", args: { query: of.query, min_fit: fits.asked, limit: 1 } } };
  const cited = of === "last" ? [] : passagesIn(found.result);
  const threadId = of === "last" ? threadsIn(found.result)[0]?.threadId : cited[0]?.threadId;
  if (threadId === undefined)
    return {
      say:
        of === "last"
          ? asked.phrases.list([], undefined)
          : asked.phrases.nothingFound(of.query, undefined, asked),
    };
  return await sayThread(asked, threadId, read, cited);
}

/** `threadId`: this one, where it is left out; `cited` are numbered sources already. */
async function sayThread(
  asked: Asked,
  threadId: string | undefined,
  read: ModelToolResult | undefined,
  cited: readonly FoundPassage[],
): Promise<ThreadStep> {
  if (read === undefined) {
    const args = { ...(threadId === undefined ? {} : { thread_id: threadId }), messages: messagesRead };
    return { call: { tool: "read_thread", args } };
  }
  const thread = threadIn(read.result);
  const said = thread === undefined ? [] : saidIn(thread, asked.text);
  const picked = await pickSentences(said, summarySentences);
  if (thread === undefined || picked.length === 0) return { say: asked.phrases.nothingToSummarise };
  const numbers = numbering(Math.max(0, ...cited.map(({ source }) => source)));
  const numbered = picked.map((one) => ({
    ...one,
    number:
      cited.find(({ messageId, file }) => messageId === one.of.id && file === "")?.source ??
      numbers.number({ threadId: thread.threadId, messageId: one.of.id }, thread.title),
  }));
  const times = thread.messages.map(({ saidAtMs }) => saidAtMs);
  return {
    say: asked.phrases.summary(
      {
        title: threadId === undefined ? "" : thread.title,
        messages: said.length,
        firstAtMs: Math.min(...times),
        lastAtMs: Math.max(...times),
      },
      numbered,
      asked,
    ),
    sources: numbers.sources(),
  };
}

/** What people and language models said; our own words are about them, and the question is not yet part of it. */
function saidIn({ messages }: ReadThread, asked: string): Said[] {
  return messages
    .filter(({ model, text }) => model !== builtinId && text.trim() !== "" && text.trim() !== asked.trim())
    .map(({ messageId, byPerson, text }) => ({ id: messageId, byPerson, text }));
}

function periodArgs(period: { after: string; before?: string } | undefined): JsonObject {
  if (period === undefined) return {};
  return { after: period.after, ...(period.before === undefined ? {} : { before: period.before }) };
}
