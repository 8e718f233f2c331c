import type { Check } from "./reading.ts";

/** More wrong heights than this are walked no further: the rule of heights has told of them already. */
const walkedMax = 1_000;

/**
 * Messages that are their own ancestors. Where every height is one above the parent's there can be none, so only what
 * stands at a wrong height is walked up from.
 */
export const cycles: Check = {
  name: "cycles",
  async find({ rows }) {
    const suspects = await rows(
      `select child.id, child.thread_id from messages as child join messages as parent
         on parent.id = child.parent_id and parent.thread_id = child.thread_id
       where child.height <> parent.height + 1 limit ${walkedMax}`,
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
        remedy: "Nothing mends this by itself: keep a backup of now, and restore the last one that was well.",
      },
    ];
  },
};

function uniqueBy(rows: Record<string, unknown>[], column: string): Record<string, unknown>[] {
  return [...new Map(rows.map((row) => [row[column], row])).values()];
}
