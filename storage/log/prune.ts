import type { Database, Tx } from "../database/database.ts";
import { forUpdate } from "../database/portable-sql.ts";

/**
 * Deletes the entries of `topic` up to number `upToSeq`. Followers at an earlier position are reset. The counter stays, so
 * numbers are never reused. Returns how many entries were deleted.
 */
export async function prune(tx: Tx, topic: string, upToSeq: number): Promise<number> {
  // The counter first, as in `append`: its lock serializes appends and prunes of the topic.
  const row = await tx.q
    .updateTable("log_topics")
    .set((eb) => ({
      pruned_seq: eb.case().when("last_seq", "<", upToSeq).then(eb.ref("last_seq")).else(upToSeq).end(),
    }))
    .where("topic", "=", topic)
    .where("pruned_seq", "<", upToSeq)
    .whereRef("pruned_seq", "<", "last_seq")
    .returning("pruned_seq")
    .executeTakeFirst();
  if (row === undefined) return 0;
  tx.appended.push({ topic, entries: [] });
  const { numDeletedRows } = await tx.q
    .deleteFrom("log_entries")
    .where("topic", "=", topic)
    .where("seq", "<=", row.pruned_seq)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/**
 * Deletes topics with all their entries. Only for topics that are never appended to again: a new topic of the same name
 * would start at 1, and a follower of the old one would not notice.
 */
export async function dropTopics(tx: Tx, topics: string[]): Promise<void> {
  if (topics.length === 0) return;
  const locked = tx.q.selectFrom("log_topics").select("topic").where("topic", "in", topics).orderBy("topic");
  await forUpdate(tx, locked).execute();
  for (const topic of topics) tx.appended.push({ topic, entries: [] });
  await tx.q.deleteFrom("log_topics").where("topic", "in", topics).execute();
  await tx.q.deleteFrom("log_entries").where("topic", "in", topics).execute();
}

type Older = {
  /** The beginning of the topics, such as `run:`. */
  prefix: string;
  /** Deletes entries written before this time, in milliseconds since 1970. */
  beforeMs: number;
  signal?: AbortSignal;
};

/** 20 topics with at most 200 entries each in one transaction: about 10 ms on SQLite, so that no reply stutters. */
const topicsPerBatch = 20;
const entriesPerTopic = 200;

/** Prunes old entries in small transactions until none is left or `signal` aborts. Returns how many it deleted. */
export async function pruneOlder(db: Database, { prefix, beforeMs, signal }: Older): Promise<number> {
  let prunedEntries = 0;
  let from = prefix;
  for (;;) {
    if (signal?.aborted) break;
    const topics = await topicsWithOlder(db, from, afterPrefix(prefix), beforeMs);
    if (topics.length === 0) break;
    prunedEntries += await db.write(async (tx) => {
      let pruned = 0;
      for (const topic of topics) pruned += await pruneOldest(tx, topic, beforeMs);
      return pruned;
    });
    // Earlier topics are done; the first of this batch may have more old entries.
    from = topics[0] ?? from;
  }
  return prunedEntries;
}

/** Sorted, because every transaction locks its topics in sorted order. */
async function topicsWithOlder(db: Database, from: string, to: string, beforeMs: number): Promise<string[]> {
  const rows = await db.read
    .selectFrom("log_topics")
    .innerJoin("log_entries", "log_entries.topic", "log_topics.topic")
    .select("log_topics.topic")
    .where("log_topics.topic", ">=", from)
    .where("log_topics.topic", "<", to)
    .where("log_entries.created_at", "<", beforeMs)
    // Only the oldest entry is compared: the others are newer.
    .where((eb) => eb("log_entries.seq", "=", eb("log_topics.pruned_seq", "+", 1)))
    .orderBy("log_topics.topic")
    .limit(topicsPerBatch)
    .execute();
  return rows.map(({ topic }) => topic);
}

async function pruneOldest(tx: Tx, topic: string, beforeMs: number): Promise<number> {
  const oldest = await tx.q
    .selectFrom("log_entries")
    .select(["seq", "created_at"])
    .where("topic", "=", topic)
    .orderBy("seq")
    .limit(entriesPerTopic)
    .execute();
  const old = oldest.findLast((entry) => entry.created_at < beforeMs);
  return old === undefined ? 0 : prune(tx, topic, old.seq);
}

/** The first text that sorts after everything that begins with `prefix`. */
function afterPrefix(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}
