import { sql } from "kysely";
import type { Database, Tx } from "../database/database.ts";
import { jsonElements } from "../database/portable-sql.ts";
import type { Appended, LogEntry, LogPage } from "../lib/log-entry.ts";

/** Bodies to append to a topic. Each gets the next number of the topic. */
export type Append = { topic: string; bodies: string[] };

/** 4 MiB of text in one insert statement. */
const charactersPerInsert = 4 * 1024 * 1024;

/**
 * Appends in the transaction and publishes the topics after the commit. Returns the number of each topic's last entry.
 * Numbers are 1, 2, 3 … per topic, without gaps, and become visible in this order, because the counter of the topic is
 * locked until the transaction ends. Call it once per transaction with all appends: it locks the counters in sorted
 * order, so that two transactions with the same topics never deadlock.
 */
export async function append(tx: Tx, appends: Append[], nowMs = Date.now()): Promise<Map<string, number>> {
  const bodiesOf = bodiesByTopic(appends);
  if (bodiesOf.size === 0) return new Map();
  const lastSeqs = await raiseCounters(tx, bodiesOf);
  const appended = numbered(bodiesOf, lastSeqs);
  for (const rows of inBatches(entriesOf(appended))) {
    await sql`
      insert into log_entries (topic, seq, body, created_at)
      select value->>0, cast(value->>1 as bigint), value->>2, cast(${nowMs} as bigint) from ${jsonElements(tx, rows)}
    `.execute(tx.q);
  }
  for (const topic of bodiesOf.keys()) tx.publishOnCommit.add(topic);
  tx.appended.push(...appended);
  return lastSeqs;
}

/** 64 KiB of text in a page, and at least one entry. A slow reader holds a few pages in memory. */
const pageBytesMax = 64 * 1024;

/** Reads at most `limit` entries after number `after`, and at most a page, in one snapshot. */
export async function readAfter(
  db: Pick<Database, "read">,
  topic: string,
  after: number,
  limit: number,
): Promise<LogPage> {
  const { rows } = await sql<{
    last_seq: number;
    pruned_seq: number;
    seq: number | null;
    body: string | null;
  }>`
    select topics.last_seq, topics.pruned_seq, entries.seq, entries.body
    from log_topics as topics
    left join (
      select seq, body from (
        select seq, body, sum(octet_length(body)) over (order by seq) - octet_length(body) as bytes_before from (
          select seq, body from log_entries where topic = ${topic} and seq > ${after} order by seq limit ${limit}
        ) as next
      ) as sized where bytes_before < ${pageBytesMax}
    ) as entries on true
    where topics.topic = ${topic}
    order by entries.seq
  `.execute(db.read);
  const entries: LogEntry[] = [];
  for (const { seq, body } of rows) if (seq !== null && body !== null) entries.push({ seq, body });
  return { entries, lastSeq: rows[0]?.last_seq ?? 0, prunedSeq: rows[0]?.pruned_seq ?? 0 };
}

/** The number of a topic's newest entry, pruned or not; 0 before the first. `q` is `tx.q` or `db.read`. */
export async function lastSeq(q: Tx["q"], topic: string): Promise<number> {
  const row = await q
    .selectFrom("log_topics")
    .select("last_seq")
    .where("topic", "=", topic)
    .executeTakeFirst();
  return row?.last_seq ?? 0;
}

/** The body of the entry with this number; undefined if it does not exist or was pruned. */
export async function bodyAt(q: Tx["q"], topic: string, seq: number): Promise<string | undefined> {
  const row = await q
    .selectFrom("log_entries")
    .select("body")
    .where("topic", "=", topic)
    .where("seq", "=", seq)
    .executeTakeFirst();
  return row?.body;
}

/** The bodies of each topic, with the topics sorted. */
function bodiesByTopic(appends: Append[]): Map<string, string[]> {
  const bodiesOf = new Map<string, string[]>();
  for (const { topic, bodies } of appends) {
    if (bodies.length === 0) continue;
    const ofTopic = bodiesOf.get(topic) ?? [];
    bodiesOf.set(topic, ofTopic);
    for (const body of bodies) ofTopic.push(body);
  }
  return new Map([...bodiesOf].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

async function raiseCounters(tx: Tx, bodiesOf: Map<string, string[]>): Promise<Map<string, number>> {
  const counts = [...bodiesOf].map(([topic, bodies]) => [topic, bodies.length]);
  // Without `where true`, SQLite parses `on conflict` as the condition of a join.
  const { rows } = await sql<{ topic: string; last_seq: number }>`
    insert into log_topics (topic, last_seq, pruned_seq)
    select value->>0, cast(value->>1 as bigint), 0 from ${jsonElements(tx, counts)} where true
    on conflict (topic) do update set last_seq = log_topics.last_seq + excluded.last_seq
    returning topic, last_seq
  `.execute(tx.q);
  return new Map(rows.map((row) => [row.topic, row.last_seq]));
}

type EntryRow = [topic: string, seq: number, body: string];

function numbered(bodiesOf: Map<string, string[]>, lastSeqs: Map<string, number>): Appended[] {
  return [...bodiesOf].map(([topic, bodies]) => {
    const before = (lastSeqs.get(topic) ?? 0) - bodies.length;
    return { topic, entries: bodies.map((body, index) => ({ seq: before + index + 1, body })) };
  });
}

function* entriesOf(appended: Appended[]): Generator<EntryRow> {
  for (const { topic, entries } of appended) for (const { seq, body } of entries) yield [topic, seq, body];
}

function* inBatches(entries: Iterable<EntryRow>): Generator<EntryRow[]> {
  let rows: EntryRow[] = [];
  let characters = 0;
  for (const row of entries) {
    rows.push(row);
    characters += row[2].length;
    if (characters < charactersPerInsert) continue;
    yield rows;
    rows = [];
    characters = 0;
  }
  if (rows.length > 0) yield rows;
}
