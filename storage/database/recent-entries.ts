import type { Appended, LogEntry, LogPage } from "../log-entry.ts";

/** A follower wakes at each notification, so a few ticks are enough. One that is further behind reads the log. */
const entriesPerTopic = 64;
const charactersPerTopic = 64 * 1024;
/** A topic is trimmed when it has this many times too much, because trimming copies. */
const slack = 2;
/** Limits of the whole cache; usually it has a few kilobytes for each run. */
const charactersMax = 32 * 1024 * 1024;
const topicsMax = 10_000;

type Cached = { entries: LogEntry[]; characters: number };

export type RecentEntries = ReturnType<typeof createRecentEntries>;

/**
 * A cache of the newest entries of each topic, so that followers need not read back what was just committed. Only for a
 * process that is the only writer of its database: entries of other writers would be missing.
 */
export function createRecentEntries() {
  /** Ordered by last append. */
  const topics = new Map<string, Cached>();
  let characters = 0;

  function remove(topic: string): Cached | undefined {
    const cached = topics.get(topic);
    topics.delete(topic);
    characters -= cached?.characters ?? 0;
    return cached;
  }

  return {
    /** Adds what was just committed. Call it before the topics are published. */
    add(appended: Appended[]): void {
      for (const { topic, entries } of appended) {
        const old = remove(topic);
        const [first] = entries;
        if (first === undefined) continue;
        const continues = old?.entries.at(-1)?.seq === first.seq - 1;
        const longer = old !== undefined && continues ? old : { entries: [], characters: 0 };
        for (const entry of entries) {
          longer.entries.push(entry);
          longer.characters += entry.body.length;
        }
        const cached = trimmed(longer);
        topics.set(topic, cached);
        characters += cached.characters;
      }
      for (const topic of topics.keys()) {
        if (topics.size <= topicsMax && characters <= charactersMax) break;
        remove(topic);
      }
    },

    /** The entries after number `after`; undefined if some of them are not cached and the log must be read. */
    after(topic: string, after: number, limit: number): LogPage | undefined {
      const cached = topics.get(topic)?.entries;
      const [first] = cached ?? [];
      const last = cached?.at(-1);
      if (cached === undefined || first === undefined || last === undefined) return undefined;
      if (after < first.seq - 1 || after >= last.seq) return undefined;
      const from = after - first.seq + 1;
      return { entries: cached.slice(from, from + limit), lastSeq: last.seq, prunedSeq: 0 };
    },

    /** Forgets everything. Call it when another process has written to the database. */
    clear(): void {
      topics.clear();
      characters = 0;
    },
  };
}

/** The newest entries that fit the limits of a topic, and at least one. */
function trimmed(cached: Cached): Cached {
  const { entries, characters } = cached;
  if (entries.length <= slack * entriesPerTopic && characters <= slack * charactersPerTopic) return cached;
  let from = entries.length - 1;
  let kept = entries[from]!.body.length;
  for (; from > 0 && entries.length - from < entriesPerTopic; from--) {
    const { length } = entries[from - 1]!.body;
    if (kept + length > charactersPerTopic) break;
    kept += length;
  }
  return { entries: entries.slice(from), characters: kept };
}
