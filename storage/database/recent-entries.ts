import type { Appended, LogEntry, LogPage } from "../lib/log-entry.ts";

/** A follower wakes at each notification, so a few ticks are enough. One that is further behind reads the log. */
const entriesPerTopic = 64;
const charactersPerTopic = 64 * 1024;
/** A topic is trimmed when it has this many times too much, because trimming copies. */
const slack = 2;
/** Limits of the whole cache. Runs that have ended stay in it, with a kilobyte or more each. */
const charactersMax = 32 * 1024 * 1024;
const topicsMax = 10_000;

type Cached = { entries: LogEntry[]; characters: number };

export type RecentEntries = ReturnType<typeof createRecentEntries>;

/**
 * A cache of the newest entries of each topic, so that followers need not read back what was just committed. It has only
 * entries of this process: call `forget` or `clear` when another one may have appended to a topic, before its listeners
 * are called.
 */
export function createRecentEntries() {
  /** Ordered by last append. */
  const topics = new Map<string, Cached>();
  let characters = 0;
  /** For each running transaction, the topics that were forgotten since it began. */
  const running = new Set<{ forgotten: Set<string>; isCleared: boolean }>();

  function remove(topic: string): Cached | undefined {
    const cached = topics.get(topic);
    topics.delete(topic);
    characters -= cached?.characters ?? 0;
    return cached;
  }

  /** Adds what was just committed. */
  function add(appended: Appended[]): void {
    for (const { topic, entries } of appended) {
      const old = remove(topic);
      const [first] = entries;
      const lastSeq = old?.entries.at(-1)?.seq ?? 0;
      // Transactions may report their commits in another order.
      if (first === undefined || first.seq <= lastSeq) continue;
      const continues = lastSeq === first.seq - 1;
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
  }

  return {
    add,

    /**
     * Call it when a transaction begins. Call `add` of the result when it is committed, before its topics are published,
     * and `end` in any case. Topics that were forgotten meanwhile are not added: newer entries may exist.
     */
    begin() {
      const transaction = { forgotten: new Set<string>(), isCleared: false };
      running.add(transaction);
      return {
        add(appended: Appended[]): void {
          const { forgotten, isCleared } = transaction;
          add(
            appended.map((each) =>
              isCleared || forgotten.has(each.topic) ? { topic: each.topic, entries: [] } : each,
            ),
          );
        },
        end: (): void => void running.delete(transaction),
      };
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

    /** Forgets the entries of these topics. */
    forget(forgotten: Iterable<string>): void {
      for (const topic of forgotten) {
        remove(topic);
        for (const transaction of running) transaction.forgotten.add(topic);
      }
    },

    /** Forgets everything. */
    clear(): void {
      for (const transaction of running) transaction.isCleared = true;
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
