import type { Tx } from "#storage/database/database.ts";
import { sql } from "#storage/database/sql.ts";
import { textBytes } from "#storage/database/text-bytes.ts";

/** The SQL of the threads whose `text_bytes` is wrong. */
export const wrongSizes = `select id from threads where text_bytes <> ${textBytes}`;

/** In a transaction of the doctor: corrects `text_bytes`. Returns how many threads were wrong. */
export async function repairThreads(tx: Tx): Promise<Record<string, number>> {
  const { numAffectedRows } = await sql
    .raw(`update threads set text_bytes = ${textBytes} where id in (${wrongSizes})`)
    .execute(tx.q);
  return { "sizes corrected": Number(numAffectedRows ?? 0) };
}
