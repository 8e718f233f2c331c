import type { Tx } from "#storage/database/database.ts";
import { sql } from "#storage/database/sql.ts";

/** The size of a thread's texts: what `text_bytes` must be. */
const textBytes = `coalesce(octet_length(threads.metadata), 0)
  + coalesce((select sum(octet_length(content) + octet_length(plain_text)) from messages where thread_id = threads.id), 0)
  + coalesce((select sum(octet_length(content)) from queued_messages where thread_id = threads.id), 0)
  + coalesce((select sum(octet_length(details) + octet_length(attributes)) from run_reports where thread_id = threads.id), 0)`;

/** The SQL of the threads whose `text_bytes` is wrong. */
export const wrongSizes = `select id from threads where text_bytes <> ${textBytes}`;

/** In a transaction of the doctor: corrects `text_bytes`. Returns how many threads were wrong. */
export async function repairThreads(tx: Tx): Promise<Record<string, number>> {
  const { numAffectedRows } = await sql
    .raw(`update threads set text_bytes = ${textBytes} where id in (${wrongSizes})`)
    .execute(tx.q);
  return { "sizes corrected": Number(numAffectedRows ?? 0) };
}
