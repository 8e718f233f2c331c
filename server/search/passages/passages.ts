import type { Role } from "#contract/endpoints/messages.ts";
import type { Database } from "#storage/database/database.ts";
import type { Phrase } from "#storage/database/full-text.ts";
import type { Indexer } from "../index-texts.ts";
import { numberAt } from "../rows.ts";
import { wantedInSpace } from "../workspace-prefix.ts";
import { inTurns } from "../yield-to-event-loop.ts";
import { scoreFiles } from "./files.ts";
import { readQuestion, type Concept } from "./question.ts";
import * as rows from "./rows.ts";
import { scorePassages, type Scored, type Weights } from "./score.ts";

/** A piece of a message, or of a file that is attached to it, that may answer a question. */
export type Passage = {
  threadId: string;
  title: string | null;
  isArchived: boolean;
  messageId: string;
  role: Role;
  saidAtMs: number;
  /** Where it stands in a file: its name, and the page where it has pages, counted from 1. */
  file?: { id: string; name: string; page: number | null };
  text: string;
  /** How much of what was asked about is in it, its thread's title and what it replies to: 0 to 1. */
  fit: number;
};

export type Wish = {
  workspaceId: string;
  /** As a person asks, in any script; words will do. */
  question: string;
  limit: number;
  /** Milliseconds since 1970; `after` itself is included. */
  after?: number | undefined;
  before?: number | undefined;
  threadId?: string | undefined;
  /** Messages that are left out, and models whose words are. */
  exceptIds?: readonly string[];
  notBy?: readonly string[];
  /** What fits less is left out: 0 to 1. */
  minFit?: number | undefined;
  /** Messages that say exactly this are left out: the question that is being answered. */
  exceptText?: string | undefined;
};

export type Passages = {
  /**
   * Passages of this workspace's messages, on all branches, and of the files attached to them, the best first; those of
   * the trash are left out.
   */
  find(wish: Wish): Promise<Passage[]>;
};

const catchUpMs = 150;
/** Documents that are read, of all that the index finds. */
const candidatesMax = 160;
/** Threads that are read because of their titles. */
const titlesMax = 12;
const textsMax = 600;
/** What is read of each message. */
const charactersPerText = 24_000;
/** Passages of one message, or of one file, in one answer. */
const perMessageMax = 2;
/** Concepts that are looked up, the rarest first, and entries of the index that are ranked for all of them. */
const conceptsMax = 16;
const rankedMax = 20_000;

export function createPassages(options: { db: Database; indexer: Pick<Indexer, "catchUp"> }): Passages {
  const { db, indexer } = options;

  /** Concepts that somewhere stand, the rarest first, with their weights; and what the absent ones would weigh. */
  async function weigh(concepts: Concept[], spaced: Phrase[][], range: { from: number; below: number }) {
    const holders = await rows.countHolders(db, spaced, range);
    // How many documents there are is dear to count; what counts is how much rarer one is than another.
    const all = Math.max(1_000, 4 * Math.max(...holders));
    return concepts
      .map(({ key }, at) => ({
        key,
        lookups: spaced[at]!,
        holders: holders[at]!,
        weight: Math.log(1 + all / (holders[at]! + 0.5)),
      }))
      .toSorted((a, b) => a.holders - b.holders);
  }

  return {
    async find(wish) {
      const question = await readQuestion(wish.question);
      if (question.concepts.length === 0) return [];
      // What cannot be indexed just now is said by the indexer itself; what was indexed before is still found.
      await indexer.catchUp(catchUpMs).catch(() => false);
      const scope = scopeOf(wish);
      const spaced = question.concepts.map(({ lookups }) => wantedInSpace(wish.workspaceId, lookups));
      const weighed = await weigh(question.concepts, spaced, scope.range);
      const there = worthAsking(weighed);
      if (there.length === 0) return [];
      const ranked = await rows.rankDocuments(db, scope, there, candidatesMax);
      const texts = await rows.findTexts(db, scope, wantedTexts(ranked), {
        characters: charactersPerText,
        messages: textsMax,
      });
      const weights: Weights = new Map(weighed.map(({ key, weight }) => [key, weight]));
      const byId = new Map(texts.map((text) => [text.id, text]));
      const scored: Scored[] = [];
      const turn = inTurns();
      const asked = wish.exceptText?.trim();
      for (const text of texts) {
        if (asked !== undefined && text.text.trim() === asked) continue;
        const answered = text.parentId === null ? undefined : byId.get(text.parentId);
        scored.push(...scorePassages(text, answered, question, weights));
        await turn();
      }
      scored.push(...(await scoreFiles(db, scope, there, question, weights)));
      return best(worthReading(scored, wish.minFit ?? 0), wish.limit).map(present);
    },
  };
}

/**
 * The rarest, as many as together stay within what can be ranked while a person waits, and at least one. The others
 * still count where the texts are read.
 */
function worthAsking<One extends { holders: number }>(rarestFirst: One[]): One[] {
  const there = rarestFirst.filter(({ holders }) => holders > 0).slice(0, conceptsMax);
  let ranked = 0;
  return there.filter(({ holders }, index) => (ranked += holders) <= rankedMax || index === 0);
}

function scopeOf(wish: Wish): rows.Scope {
  return {
    workspaceId: wish.workspaceId,
    range: {
      from: wish.after === undefined ? 0 : numberAt(wish.after),
      below: wish.before === undefined ? Number.MAX_SAFE_INTEGER : numberAt(wish.before),
    },
    threadId: wish.threadId,
    notBy: wish.notBy ?? [],
    exceptIds: wish.exceptIds ?? [],
  };
}

/** What was found, what it replies to, and the beginnings of threads whose titles were found. */
function wantedTexts(ranked: rows.Ranked[]) {
  const messages = ranked.flatMap(({ messageId, parentId, threadId }) =>
    messageId === null
      ? []
      : [{ id: messageId, threadId }, ...(parentId === null ? [] : [{ id: parentId, threadId }])],
  );
  const titled = ranked.flatMap(({ messageId, threadId }) => (messageId === null ? [threadId] : []));
  return { messages, threadIds: titled.slice(0, titlesMax) };
}

/** Beside a passage that has all that was asked about, one that has a third of it is noise. */
const besideBest = 0.4;

function worthReading(scored: Scored[], minFit: number): Scored[] {
  const most = Math.max(0, ...scored.map(({ fit }) => fit));
  return scored.filter(({ fit }) => fit >= Math.max(minFit, besideBest * most));
}

/** The best, the newer of two that are as good; nothing twice, and not one message alone. */
function best(scored: Scored[], limit: number): Scored[] {
  const chosen: Scored[] = [];
  const said = new Set<string>();
  const perMessage = new Map<string, number>();
  for (const one of scored.toSorted((a, b) => b.score - a.score || b.of.createdAt - a.of.createdAt)) {
    if (chosen.length >= limit) break;
    const words = textOf(one).replace(/\s+/g, " ").toLowerCase();
    const from = one.of.file?.id ?? one.of.id;
    const before = perMessage.get(from) ?? 0;
    // Answers that were asked for again, and threads that were copied, say the same.
    if (said.has(words) || before >= perMessageMax) continue;
    said.add(words);
    perMessage.set(from, before + 1);
    chosen.push(one);
  }
  return chosen;
}

function textOf({ of, start, end }: Scored): string {
  return of.text.slice(start, end).trim();
}

function present(one: Scored): Passage {
  const { of } = one;
  return {
    threadId: of.threadId,
    title: of.title,
    isArchived: of.archived === 1,
    messageId: of.id,
    role: of.role,
    saidAtMs: of.createdAt,
    ...(of.file === undefined ? {} : { file: of.file }),
    text: textOf(one),
    fit: Math.round(one.fit * 100) / 100,
  };
}
