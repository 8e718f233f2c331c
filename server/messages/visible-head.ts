import type { Kysely } from "#storage/database/sql.ts";
import type { Tables } from "#storage/database/tables.ts";
import * as rows from "./rows.ts";
import * as tree from "./tree-rows.ts";

/** The last message of the branch that a person sees; `undefined` in a thread without messages. */
export async function shownHead(
  q: Kysely<Tables>,
  threadId: string,
  userId: string,
): Promise<string | undefined> {
  const kept = await rows.findHead(q, threadId, userId);
  // The branch may have grown below the stored head, on another device or through the protocol.
  const leaf = kept === undefined ? undefined : await tree.leafBelow(q, threadId, kept);
  return leaf ?? (await tree.deepestLeaf(q, threadId));
}
