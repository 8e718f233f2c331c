import type { Database, Tx } from "#storage/database/database.ts";
import { isUniqueViolation } from "#storage/database/portable-sql.ts";

/** A request can contain the ids of a thread, a message, a reply and a run. Each can be inserted by another request. */
const triesMax = 4;

/**
 * Runs `work`, which inserts rows only if they do not exist. If another transaction inserts them after the check, `work`
 * runs again and finds them.
 */
export async function writeOnce<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.write(work);
    } catch (error) {
      if (!isUniqueViolation(error) || tries === triesMax) throw error;
    }
  }
}
