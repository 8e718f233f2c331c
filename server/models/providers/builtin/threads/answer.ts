import type { JsonObject } from "#contract/json.ts";
import type { ModelMessage, ModelToolResult } from "#server/models/model.ts";
import type { Situation } from "../connect.ts";
import { sayFound, sayList, sayNoAnswer, sayNothingFound, saySummary } from "./phrases.ts";
import type { Recall } from "./recall.ts";
import { numbering, passagesIn, threadIn, threadsIn, type FoundPassage } from "./results.ts";
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
  /** The conversation before the question. */
  before: readonly ModelMessage[];
  situation: Situation;
  told: boolean;
};

const listMax = 10;
const summarySentences = 5;
const messagesRead = 100;
/** Of what was asked about, how much must be in a passage: where the person says that it is there, and where we only try. */
const fits = { asked: 0.25, tried: 0.5 };
/** A passage that fits much less than the best is not shown beside it. */
const besideBest = 0.7;
const shownMax = 3;

export async function threadStep(asked: Asked): Promise<ThreadStep> {
  const failed = asked.results.find(({ isError }) => isError);
  if (failed !== undefined)
    return { say: "I could not look into your threads just now. Try again in a moment." };
  switch (asked.recall.kind) {
    case "list":
      return listed(asked, asked.recall);
    case "search":
      return searched(asked, asked.recall);
    case "summary":
      return await summarised(asked, asked.recall);
  }
}

function listed({ results }: Asked, { period, limit }: Extract<Recall, { kind: "list" }>): ThreadStep {
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
  return { say: sayList(threads, period), sources: numbers.sources() };
}

function searched(
  { results, situation, told }: Asked,
  { query, period, open }: Extract<Recall, { kind: "search" }>,
): ThreadStep {
  const [result] = results;
  if (result === undefined)
    return { call: { tool: "search_threads", args: { query, ...periodArgs(period) } } };
  const shown = worthShowing(passagesIn(result.result), open === true ? fits.tried : fits.asked);
  if (open !== true) return { say: shown.length === 0 ? sayNothingFound(query, period) : sayFound(shown) };
  return shown.length === 0 ? "nothing" : { say: `${sayFound(shown)}\n\n${sayNoAnswer(situation, told)}` };
}

function worthShowing(passages: FoundPassage[], fit: number): FoundPassage[] {
  const best = Math.max(0, ...passages.map((passage) => passage.fit));
  return passages.filter((passage) => passage.fit >= Math.max(fit, besideBest * best)).slice(0, shownMax);
}

async function summarised(asked: Asked, { of }: Extract<Recall, { kind: "summary" }>): Promise<ThreadStep> {
  if (of === "this") return await summarisedHere(asked);
  const [found, read] = asked.results;
  if (found === undefined)
    return of === "last"
      ? { call: { tool: "list_threads", args: { limit: 1 } } }
      : { call: { tool: "search_threads", args: { query: of.query, limit: 1 } } };
  const cited = of === "last" ? [] : passagesIn(found.result);
  const threadId = of === "last" ? threadsIn(found.result)[0]?.threadId : cited[0]?.threadId;
  if (threadId === undefined || (cited[0] !== undefined && cited[0].fit < fits.asked))
    return { say: of === "last" ? sayList([], undefined) : sayNothingFound(of.query, undefined) };
  if (read === undefined)
    return { call: { tool: "read_thread", args: { thread_id: threadId, messages: messagesRead } } };
  const thread = threadIn(read.result);
  const said =
    thread?.messages.map(({ messageId, byPerson, text }): Said => ({ id: messageId, byPerson, text })) ?? [];
  const picked = await pickSentences(said, summarySentences);
  if (thread === undefined || picked.length === 0)
    return { say: `There is nothing in *${thread?.title ?? ""}* that could be summarised.` };
  const numbers = numbering(Math.max(0, ...cited.map(({ source }) => source)));
  const numbered = picked.map((one) => ({
    ...one,
    number:
      cited.find(({ messageId }) => messageId === one.of.id)?.source ??
      numbers.number({ threadId: thread.threadId, messageId: one.of.id }, thread.title),
  }));
  const times = thread.messages.map(({ saidAtMs }) => saidAtMs);
  return {
    say: saySummary(
      {
        title: thread.title,
        messages: thread.messages.length + thread.earlier,
        firstAtMs: Math.min(...times),
        lastAtMs: Math.max(...times),
      },
      numbered,
      asked.situation,
      asked.told,
    ),
    sources: numbers.sources(),
  };
}

/** Of this thread everything was told to us already. */
async function summarisedHere({ before, situation, told }: Asked): Promise<ThreadStep> {
  const said = before.flatMap((message, index): Said[] => {
    if (message.role !== "user" && message.role !== "assistant") return [];
    const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    return text === "" ? [] : [{ id: String(index), byPerson: message.role === "user", text }];
  });
  const picked = await pickSentences(said, summarySentences);
  if (picked.length === 0) return { say: "Nothing was said here yet that could be summarised." };
  const of = { title: "", messages: said.length, firstAtMs: Number.NaN, lastAtMs: Number.NaN };
  return { say: saySummary(of, picked, situation, told) };
}

function periodArgs(period: { after: string; before?: string } | undefined): JsonObject {
  if (period === undefined) return {};
  return { after: period.after, ...(period.before === undefined ? {} : { before: period.before }) };
}
