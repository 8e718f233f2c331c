import type { Appended, LogEntry, LogPage } from "../log-entry.ts";

/**
 * The newest entries of the topics that were appended to, so that followers need not read back what was committed a
 * moment ago. Only for a process that is alone with its database: then nothing can come that is not kept here.
 */
export type Tails = {
  /** Keeps what was just committed. Call it before the topics are published. */
  keep(appended: Appended[]): void;
  /** What lies after number `after`, where all of it is kept; `undefined` where the log itself must be read. */
  after(topic: string, after: number, limit: number): LogPage | undefined;
  /** Forgets everything: somebody else has written to the database. */
  clear(): void;
};

/** A follower wakes at each notification, so a few ticks are plenty; who is further behind reads the log. */
const entriesPerTopic = 64;
const charactersPerTopic = 64 * 1024;
/** A tail is cut back to its bounds only when it is this many times as long, for cutting copies it. */
const slack = 2;
/** All tails together; in practice some kilobytes for each run. */
const charactersMax = 32 * 1024 * 1024;
const topicsMax = 10_000;

type Tail = { entries: LogEntry[]; characters: number };

export function createTails(): Tails {
  /** In the order of their last append. */
  const tails = new Map<string, Tail>();
  let characters = 0;

  function forget(topic: string): Tail | undefined {
    const tail = tails.get(topic);
    tails.delete(topic);
    characters -= tail?.characters ?? 0;
    return tail;
  }

  return {
    keep(appended) {
      for (const { topic, entries } of appended) {
        const kept = forget(topic);
        const [first] = entries;
        if (first === undefined) continue;
        const goesOn = kept?.entries.at(-1)?.seq === first.seq - 1;
        const longer = kept !== undefined && goesOn ? kept : { entries: [], characters: 0 };
        for (const entry of entries) {
          longer.entries.push(entry);
          longer.characters += entry.body.length;
        }
        const tail = trimmed(longer);
        tails.set(topic, tail);
        characters += tail.characters;
      }
      for (const topic of tails.keys()) {
        if (tails.size <= topicsMax && characters <= charactersMax) break;
        forget(topic);
      }
    },

    after(topic, after, limit) {
      const kept = tails.get(topic)?.entries;
      const [first] = kept ?? [];
      const last = kept?.at(-1);
      if (kept === undefined || first === undefined || last === undefined) return undefined;
      if (after < first.seq - 1 || after >= last.seq) return undefined;
      const from = after - first.seq + 1;
      return { entries: kept.slice(from, from + limit), lastSeq: last.seq, prunedSeq: 0 };
    },

    clear() {
      tails.clear();
      characters = 0;
    },
  };
}

/** As many of the last entries as may be kept, once there are too many; the newest always. */
function trimmed(tail: Tail): Tail {
  const { entries, characters } = tail;
  if (entries.length <= slack * entriesPerTopic && characters <= slack * charactersPerTopic) return tail;
  let from = entries.length - 1;
  let kept = entries[from]!.body.length;
  for (; from > 0 && entries.length - from < entriesPerTopic; from--) {
    const { length } = entries[from - 1]!.body;
    if (kept + length > charactersPerTopic) break;
    kept += length;
  }
  return { entries: entries.slice(from), characters: kept };
}
