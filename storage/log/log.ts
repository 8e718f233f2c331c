import { sql } from "kysely";
import type { Database, Tx } from "../database/database.ts";
import { jsonElements } from "../database/portable-sql.ts";
import type { Appended, LogEntry, LogPage } from "../log-entry.ts";

/** Appends to several topics at once, each body getting the next number of its topic. */
export type Append = { topic: string; bodies: string[] };

/** 4 MiB of text: a statement's share of what is appended. */
const statementCharacters = 4 * 1024 * 1024;

/**
 * Appends in the transaction and publishes the topics after the commit. Answers the number of each topic's last
 * entry. Numbers are 1, 2, 3 … per topic, without gaps, and become visible in their order: the topic's counter is held
 * until the transaction ends. Call it once per transaction with all there is, for it holds the counters in sorted
 * order, so that two transactions with the same topics never wait for each other.
 */
export async function append(tx: Tx, appends: Append[], nowMs = Date.now()): Promise<Map<string, number>> {
  const bodiesOf = gather(appends);
  if (bodiesOf.size === 0) return new Map();
  const lastSeqs = await raiseCounters(tx, bodiesOf);
  const appended = numbered(bodiesOf, lastSeqs);
  for (const rows of inStatements(entriesOf(appended))) {
    await sql`
      insert into log_entries (topic, seq, body, created_at)
      select value->>0, cast(value->>1 as bigint), value->>2, cast(${nowMs} as bigint) from ${jsonElements(tx, rows)}
    `.execute(tx.q);
  }
  for (const topic of bodiesOf.keys()) tx.publishOnCommit.add(topic);
  tx.appended.push(...appended);
  return lastSeqs;
}

/** 64 KiB of text in a page, and one entry at least: what a reader who does not read holds, some times over. */
const pageBytesMax = 64 * 1024;

/** Reads at most `limit` entries after number `after`, and no more than a page holds, all as of one moment. */
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

/** The entry of this number, where it is kept. */
export async function bodyAt(q: Tx["q"], topic: string, seq: number): Promise<string | undefined> {
  const row = await q
    .selectFrom("log_entries")
    .select("body")
    .where("topic", "=", topic)
    .where("seq", "=", seq)
    .executeTakeFirst();
  return row?.body;
}

/** The bodies of each topic, topics sorted. */
function gather(appends: Append[]): Map<string, string[]> {
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
  // `where true`: without it SQLite takes `on conflict` for the condition of a join.
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

function* inStatements(entries: Iterable<EntryRow>): Generator<EntryRow[]> {
  let rows: EntryRow[] = [];
  let characters = 0;
  for (const row of entries) {
    rows.push(row);
    characters += row[2].length;
    if (characters < statementCharacters) continue;
    yield rows;
    rows = [];
    characters = 0;
  }
  if (rows.length > 0) yield rows;
}
