import type { Tx } from "../database/database.ts";
import { sql, type Expression } from "../database/sql.ts";

/**
 * Raises counters that are behind their entries, and deletes logs without an owner. For a transaction of the doctor,
 * while no server runs. `owners` has the existing ids for each prefix of topics. Returns how many of each it changed.
 */
export async function repairLogs(
  tx: Tx,
  owners: Record<string, Expression<unknown>>,
): Promise<Record<string, number>> {
  const raised = await sql`
    update log_topics set last_seq = (select max(seq) from log_entries where log_entries.topic = log_topics.topic)
    where last_seq < (select max(seq) from log_entries where log_entries.topic = log_topics.topic)
  `.execute(tx.q);
  let dropped = 0;
  for (const [prefix, ids] of Object.entries(owners)) {
    const { numAffectedRows } = await sql`
      delete from log_topics where topic like ${`${prefix}%`} and substr(topic, ${prefix.length + 1}) not in ${ids}
    `.execute(tx.q);
    dropped += Number(numAffectedRows ?? 0);
  }
  await sql`delete from log_entries where topic not in (select topic from log_topics)`.execute(tx.q);
  return { "counters raised": Number(raised.numAffectedRows ?? 0), "logs without an owner deleted": dropped };
}
