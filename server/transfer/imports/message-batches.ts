import type { MessageImport } from "#server/messages/import-messages.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import type { ThreadContext } from "#server/messages/write-messages.ts";
import type { IncomingFiles } from "./incoming-files.ts";
import { messageOf } from "./incoming-rows.ts";
import type { IdMap, ThreadSummary } from "./summarize-thread.ts";
import type { ThreadSource } from "./thread-source.ts";

/** The limit of one transaction: some 20 ms of SQLite, so that streaming answers do not stall. */
const batchRows = 250;
const batchCharacters = 4 * 1024 * 1024;

/** Whether all messages fit into one transaction. */
export function isOneBatch({ messages, characters }: ThreadSummary): boolean {
  return messages.length <= batchRows && characters <= batchCharacters;
}

/** The rows of the missing messages, in batches for one transaction each. */
export async function* messageBatches({
  messageImport,
  source,
  context,
  idMap,
  files,
  signal,
}: {
  messageImport: Pick<MessageImport, "toRow">;
  source: ThreadSource;
  context: ThreadContext;
  idMap: IdMap;
  files: IncomingFiles;
  signal: AbortSignal;
}): AsyncGenerator<MessageRow[]> {
  let batch: MessageRow[] = [];
  let characters = 0;
  for await (const message of source.read()) {
    signal.throwIfAborted();
    const { id, isStored } = idMap.get(message.id)!;
    if (isStored) continue;
    if (message.lost !== undefined) files.addLost(message.id, message.lost);
    const parentId = message.parent_id === null ? null : idMap.get(message.parent_id)!.id;
    const settled = { ...message, content: await files.rewriteUrls(message.content, message.placeholders) };
    const row = messageImport.toRow(context, messageOf(settled, { id, parentId }, context.nowMs));
    batch.push(row);
    characters += row.content.length;
    if (batch.length < batchRows && characters <= batchCharacters) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
