import type { Database, Tx } from "#storage/database/database.ts";
import { isUniqueViolation } from "#storage/database/portable-sql.ts";

/** A request may name the ids of a thread, a message, a reply and a run: each may be taken in a race of its own. */
const triesMax = 4;

/**
 * Runs `work`, which looks for what it is to make before it makes it. Where another transaction made it between the
 * look and the insert, `work` runs again and finds it there.
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
