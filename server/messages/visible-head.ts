import type { Kysely } from "#storage/database/sql.ts";
import type { Tables } from "#storage/database/tables.ts";
import * as rows from "./rows.ts";
import * as tree from "./tree-rows.ts";

/** The last message of the user's visible branch; `undefined` in a thread without messages. */
export async function findVisibleHead(
  q: Kysely<Tables>,
  threadId: string,
  userId: string,
): Promise<string | undefined> {
  const stored = await rows.findHead(q, threadId, userId);
  // The branch may have grown below the stored head, on another device or through the protocol.
  const leaf = stored === undefined ? undefined : await tree.findLeafBelow(q, threadId, stored);
  return leaf ?? (await tree.findDeepestLeaf(q, threadId));
}
