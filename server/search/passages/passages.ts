import type { Role } from "#contract/endpoints/messages.ts";
import type { Database } from "#storage/database/database.ts";
import type { Phrase } from "#storage/database/full-text.ts";
import type { Indexer } from "../index-texts.ts";
import { numbersBetween } from "../document-numbers.ts";
import { prefixPhrases } from "../workspace-prefix.ts";
import { createYielder } from "../../lib/concurrency/yield-to-event-loop.ts";
import { scoreFiles } from "./file-passages.ts";
import { parseQuestion, type Concept } from "./question.ts";
import * as rows from "./rows.ts";
import { scorePassages, type Scored, type Weights } from "./score.ts";

/** A part of a message, or of an attached file, that may answer a question. */
export type Passage = {
  threadId: string;
  title: string | null;
  isArchived: boolean;
  messageId: string;
  role: Role;
  saidAtMs: number;
  /** The file that contains it. Pages are counted from 1. */
  file?: { id: string; name: string; page: number | null };
  text: string;
  /** How much of the question matches the passage, its thread's title and the message before it: 0 to 1. */
  fit: number;
};

export type PassageQuery = {
  workspaceId: string;
  /** A question or words, in any script. */
  question: string;
  limit: number;
  /** Milliseconds since 1970; `after` itself is included. */
  after?: number | undefined;
  before?: number | undefined;
  threadId?: string | undefined;
  /** Messages to leave out, and models whose messages are left out. */
  exceptIds?: readonly string[];
  notBy?: readonly string[];
  /** The least fit: 0 to 1. */
  minFit?: number | undefined;
  /** Messages with exactly this text are left out, such as the question that is being answered. */
  exceptText?: string | undefined;
};

export type Passages = {
  /**
   * Passages of this workspace's messages, on all branches, and of the files attached to them, the best first, without the
   * trash.
   */
  find(query: PassageQuery): Promise<Passage[]>;
};

const catchUpMs = 150;
/** How many of the found documents are read. */
const candidatesMax = 160;
/** How many threads are read because of their titles. */
const titlesMax = 12;
const textsMax = 600;
/** How much of each message is read. */
const charactersPerText = 24_000;
/** Passages of one message or file in a result. */
const perMessageMax = 2;
/** How many concepts are looked up, the rarest first, and how many index entries are ranked for them. */
const conceptsMax = 16;
const rankedMax = 20_000;

export function createPassages(options: { db: Database; indexer: Pick<Indexer, "catchUp"> }): Passages {
  const { db, indexer } = options;

  /** The concepts with their weights, the rarest first. */
  async function weigh(concepts: Concept[], prefixed: Phrase[][], range: { from: number; below: number }) {
    const counts = await rows.countDocuments(db, prefixed, range);
    // Counting all documents is expensive. Only the relative rarity matters.
    const all = Math.max(1_000, 4 * Math.max(...counts));
    return concepts
      .map(({ key }, at) => ({
        key,
        lookups: prefixed[at]!,
        documents: counts[at]!,
        weight: Math.log(1 + all / (counts[at]! + 0.5)),
      }))
      .toSorted((a, b) => a.documents - b.documents);
  }

  return {
    async find(query) {
      const question = await parseQuestion(query.question);
      if (question.concepts.length === 0) return [];
      // The indexer logs its own failures. Texts that are indexed already are found.
      await indexer.catchUp(catchUpMs).catch(() => false);
      const scope = scopeOf(db, query);
      const prefixed = question.concepts.map(({ lookups }) => prefixPhrases(query.workspaceId, lookups));
      const weighed = await weigh(question.concepts, prefixed, scope.range);
      const searched = conceptsToSearch(weighed);
      if (searched.length === 0) return [];
      const ranked = await rows.rankDocuments(db, scope, searched, candidatesMax);
      const texts = await rows.findTexts(db, scope, textsToRead(ranked), {
        characters: charactersPerText,
        messages: textsMax,
      });
      const weights: Weights = new Map(weighed.map(({ key, weight }) => [key, weight]));
      const byId = new Map(texts.map((text) => [text.id, text]));
      const scored: Scored[] = [];
      const maybeYield = createYielder();
      const exceptText = query.exceptText?.trim();
      for (const text of texts) {
        if (exceptText !== undefined && text.text.trim() === exceptText) continue;
        const parent = text.parentId === null ? undefined : byId.get(text.parentId);
        scored.push(...scorePassages(text, parent, question, weights));
        await maybeYield();
      }
      scored.push(...(await scoreFiles(db, scope, searched, question, weights)));
      return best(withoutNoise(scored, query.minFit ?? 0), query.limit).map(toPassage);
    },
  };
}

/**
 * The rarest concepts, as many as can be ranked while a person waits, and at least one. The others still count when the
 * texts are scored.
 */
function conceptsToSearch<One extends { documents: number }>(rarestFirst: One[]): One[] {
  const present = rarestFirst.filter(({ documents }) => documents > 0).slice(0, conceptsMax);
  let ranked = 0;
  return present.filter(({ documents }, index) => (ranked += documents) <= rankedMax || index === 0);
}

function scopeOf(db: Database, query: PassageQuery): rows.Scope {
  return {
    workspaceId: query.workspaceId,
    range: numbersBetween(db, query),
    threadId: query.threadId,
    notBy: query.notBy ?? [],
    exceptIds: query.exceptIds ?? [],
  };
}

/** The found messages, the messages before them, and the beginnings of threads whose titles were found. */
function textsToRead(ranked: rows.Ranked[]) {
  const messages = ranked.flatMap(({ messageId, parentId, threadId }) =>
    messageId === null
      ? []
      : [{ id: messageId, threadId }, ...(parentId === null ? [] : [{ id: parentId, threadId }])],
  );
  const titled = ranked.flatMap(({ messageId, threadId }) => (messageId === null ? [threadId] : []));
  return { messages, threadIds: titled.slice(0, titlesMax) };
}

/** Passages with less than this share of the best fit are noise. */
const fitRatioMin = 0.4;

function withoutNoise(scored: Scored[], minFit: number): Scored[] {
  const most = Math.max(0, ...scored.map(({ fit }) => fit));
  return scored.filter(({ fit }) => fit >= Math.max(minFit, fitRatioMin * most));
}

/** The best passages, newer ones first among equals, without repetitions and without too many of one message. */
function best(scored: Scored[], limit: number): Scored[] {
  const chosen: Scored[] = [];
  const seen = new Set<string>();
  const perMessage = new Map<string, number>();
  for (const one of scored.toSorted((a, b) => b.score - a.score || b.of.createdAt - a.of.createdAt)) {
    if (chosen.length >= limit) break;
    const words = textOf(one).replace(/\s+/g, " ").toLowerCase();
    const from = one.of.file?.id ?? one.of.id;
    const before = perMessage.get(from) ?? 0;
    // Regenerated answers and copied threads contain the same text.
    if (seen.has(words) || before >= perMessageMax) continue;
    seen.add(words);
    perMessage.set(from, before + 1);
    chosen.push(one);
  }
  return chosen;
}

function textOf({ of, start, end }: Scored): string {
  return of.text.slice(start, end).trim();
}

function toPassage(one: Scored): Passage {
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
