import type { Check } from "./check.ts";

/** The check stops after this many wrong heights. The rule `heights` reports their number. */
const suspectsMax = 1_000;

/**
 * Messages that are their own ancestors. A cycle contains at least one message whose height is not its parent's plus one,
 * so the check starts from those.
 */
export const cycles: Check = {
  name: "cycles",
  async find({ rows }) {
    const suspects = await rows(
      `select child.id, child.thread_id from messages as child join messages as parent
         on parent.id = child.parent_id and parent.thread_id = child.thread_id
       where child.height <> parent.height + 1 limit ${suspectsMax}`,
    );
    const found = new Set<string>();
    for (const { thread_id: threadId } of uniqueBy(suspects, "thread_id")) {
      const messages = await rows(
        `select id, parent_id from messages where thread_id = '${String(threadId).replaceAll("'", "''")}'`,
      );
      const parentOf = new Map(
        messages.map(({ id, parent_id: parent }) => [String(id), parent as string | null]),
      );
      for (const suspect of suspects.filter((row) => row.thread_id === threadId)) {
        const seen = new Set<string>();
        let at: string | null | undefined = String(suspect.id);
        while (at != null && !seen.has(at)) {
          seen.add(at);
          at = parentOf.get(at);
        }
        if (at != null) found.add(at);
      }
    }
    if (found.size === 0) return [];
    return [
      {
        about: "messages are their own ancestors",
        count: found.size,
        ids: [...found].toSorted(),
        remedy: "There is no automatic repair: back up the current state, and restore the last good backup.",
      },
    ];
  },
};

function uniqueBy(rows: Record<string, unknown>[], column: string): Record<string, unknown>[] {
  return [...new Map(rows.map((row) => [row[column], row])).values()];
}
