import type { LogEntry, LogPage } from "./log.ts";

/** Entries of one topic that were appended together; none where the topic was pruned, and is to be read afresh. */
export type Appended = { topic: string; entries: LogEntry[] };

/**
 * The newest entries of the topics that were appended to, so that followers need not read back what was committed a
 * moment ago. Only for a process that is alone with its database: then nothing can come that is not kept here.
 */
export type Tails = {
  /** Keeps what was just committed. Call it before the topics are rung. */
  keep(appended: Appended[]): void;
  /** What lies after number `after`, where all of it is kept; `undefined` where the log itself must be read. */
  after(topic: string, after: number, limit: number): LogPage | undefined;
  /** Forgets everything: somebody else has written to the database. */
  clear(): void;
};

/** A follower wakes at each ring, so a few ticks are plenty; who is further behind reads the log. */
const entriesPerTopic = 64;
const charactersPerTopic = 64 * 1024;
/** With both bounds 64 MiB at the very most, and some hundred kilobytes in practice. */
const topicsMax = 1_000;

export function createTails(): Tails {
  /** In the order of their last append. */
  const tails = new Map<string, LogEntry[]>();

  return {
    keep(appended) {
      for (const { topic, entries } of appended) {
        const kept = tails.get(topic) ?? [];
        const goesOn = kept.at(-1)?.seq === (entries[0]?.seq ?? 0) - 1;
        tails.delete(topic);
        if (entries.length > 0) tails.set(topic, newest(goesOn ? [...kept, ...entries] : entries));
      }
      for (const topic of tails.keys()) {
        if (tails.size <= topicsMax) break;
        tails.delete(topic);
      }
    },

    after(topic, after, limit) {
      const kept = tails.get(topic);
      const [first] = kept ?? [];
      const last = kept?.at(-1);
      if (kept === undefined || first === undefined || last === undefined) return undefined;
      if (after < first.seq - 1 || after >= last.seq) return undefined;
      const from = after - first.seq + 1;
      return { entries: kept.slice(from, from + limit), lastSeq: last.seq, prunedSeq: 0 };
    },

    clear: () => tails.clear(),
  };
}

/** As many of the last entries as may be kept. */
function newest(entries: LogEntry[]): LogEntry[] {
  let from = entries.length;
  for (let characters = 0; from > 0 && entries.length - from < entriesPerTopic; from--) {
    characters += entries[from - 1]!.body.length;
    if (characters > charactersPerTopic) break;
  }
  return from === 0 ? entries : entries.slice(from);
}
