import type { Database } from "#storage/sql/database.ts";
import * as rows from "./rows.ts";
import * as tree from "./tree-rows.ts";

/** Where the branch ends that is shown to a person; `undefined` in a thread without a message. */
export async function shownHead(db: Database, threadId: string, userId: string): Promise<string | undefined> {
  const kept = await rows.findHead(db.read, threadId, userId);
  // Someone may have gone on below the kept head on another device or through the protocol.
  const leaf = kept === undefined ? undefined : await tree.leafBelow(db.read, threadId, kept);
  return leaf ?? (await tree.deepestLeaf(db.read, threadId));
}
