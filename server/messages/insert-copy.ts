import type { Tx } from "#storage/database/database.ts";
import type { Visitor } from "../lib/route.ts";
import type { ImportedThread, ThreadImport } from "../threads/import-threads.ts";
import type { MessageImport } from "./import-messages.ts";
import type { MessageRow } from "./rows.ts";

/** Inserts copied messages, in a chain, as a new thread of the visitor. Throws `quota-full`. */
export async function insertCopy(
  tx: Tx,
  { threadImport, messageImport }: { threadImport: ThreadImport; messageImport: MessageImport },
  visitor: Visitor,
  {
    nowMs,
    ...thread
  }: Pick<ImportedThread, "id" | "title" | "assistantId" | "model" | "localOnly"> & { nowMs: number },
  copies: MessageRow[],
): Promise<void> {
  const { workspaceId, userId } = visitor;
  const context = { workspaceId, threadId: thread.id, userId, nowMs };
  await threadImport.insert(
    tx,
    visitor,
    {
      ...thread,
      titleSource: "person",
      externalId: null,
      metadata: null,
      archived: false,
      pinned: false,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      lastMessageAtMs: nowMs,
      deletedAtMs: null,
    },
    false,
  );
  await messageImport.insert(tx, context, copies);
  await messageImport.setHead(tx, context, copies.at(-1)!.id);
  await threadImport.announce(tx, visitor, thread.id);
}
