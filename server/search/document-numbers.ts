import type { Database, Tx } from "#storage/database/database.ts";

/**
 * The numbers of a time. SQLite stores the differences between numbers for each word, so small ones save space: documents
 * of the same quarter of an hour have consecutive numbers. In every time zone days begin with such a quarter.
 */
const numbering = {
  sqlite: { slotMs: 15 * 60_000, numbersPerSlot: 8_192, numbersPerFile: 64 },
  postgres: { slotMs: 1, numbersPerSlot: 1_024, numbersPerFile: 1 },
} as const satisfies Record<Database["engine"], unknown>;

/** With 1,024 numbers per millisecond since 2020, safe integers suffice until the year 2298. */
const epochMs = Date.UTC(2020, 0, 1);

/** The first document number of a time. Times before 2020 share the first one. */
function numberAt({ engine }: Pick<Database, "engine">, ms: number): number {
  const { slotMs, numbersPerSlot } = numbering[engine];
  const slot = Math.floor(Math.max(0, ms - epochMs) / slotMs);
  return Math.min(slot * numbersPerSlot, Number.MAX_SAFE_INTEGER - numbersPerSlot);
}

/**
 * How many numbers a file gets at least: it is indexed by its name before its text is read, and must not move among files
 * of the same time.
 */
export function numbersPerFile({ engine }: Pick<Database, "engine">): number {
  return numbering[engine].numbersPerFile;
}

/** The numbers from the time `after` on and before the time `before`. */
export function numbersBetween(
  db: Pick<Database, "engine">,
  { after, before }: { after?: number | undefined; before?: number | undefined },
): { from: number; below: number } {
  const { slotMs } = numbering[db.engine];
  return {
    from: after === undefined ? 0 : numberAt(db, after),
    below: before === undefined ? Number.MAX_SAFE_INTEGER : numberAt(db, before + slotMs - 1),
  };
}

/**
 * The first of `count` consecutive free document numbers of a time, or of a later one. `lastNumbers`: the last number that
 * is in use from a number on, for several calls in one transaction.
 */
export async function freeNumbers(
  tx: Tx,
  ms: number,
  count: number,
  lastNumbers = new Map<number, number>(),
): Promise<number> {
  const { numbersPerSlot } = numbering[tx.engine];
  for (let first = numberAt(tx, ms); ; first += numbersPerSlot) {
    const last = lastNumbers.get(first) ?? (await lastNumber(tx, first, first + numbersPerSlot)) ?? first - 1;
    const isFree = last < first || last + count < first + numbersPerSlot;
    lastNumbers.set(first, isFree ? last + count : last);
    if (isFree) return last + 1;
  }
}

async function lastNumber(tx: Tx, from: number, below: number): Promise<number | null> {
  const lastIn = (table: "search_documents" | "search_file_documents") =>
    tx.q
      .selectFrom(table)
      .select((max) => max.fn.max("number").as("number"))
      .where("number", ">=", from)
      .where("number", "<", below);
  const { last } = await tx.q
    .selectFrom(lastIn("search_documents").unionAll(lastIn("search_file_documents")).as("lasts"))
    .select((max) => max.fn.max("number").as("last"))
    .executeTakeFirstOrThrow();
  return last;
}
