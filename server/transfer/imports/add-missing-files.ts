import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import type { Database } from "#storage/database/database.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { MessageImport } from "#server/messages/import-messages.ts";
import type { ThreadContext } from "#server/messages/write-messages.ts";
import type { Threads } from "#server/threads/threads.ts";
import type { IncomingFiles } from "./incoming-files.ts";
import type { IdMap } from "./summarize-thread.ts";
import type { Placeholders, SourceMessage, ThreadSource } from "./thread-source.ts";

type Export = { source: ThreadSource; idMap: IdMap; files: IncomingFiles; signal: AbortSignal };

/**
 * Adds to stored messages the files that an earlier import of them did not have, such as an import of the JSON alone. Only
 * what the earlier import left in place of a file is replaced. Returns the number of changed messages.
 */
export function createAddMissingFiles(options: {
  db: Database;
  threads: Pick<Threads, "lock">;
  messageImport: MessageImport;
}) {
  const { db, threads, messageImport } = options;

  /** The stored content with the parts of the export in place of missing files; `undefined`: no file is missing. */
  async function withMissingParts(
    threadId: string,
    messageId: string,
    message: SourceMessage,
    files: IncomingFiles,
  ): Promise<{ before: string; content: JsonObject } | undefined> {
    const referenced = files.referencedBy(message.content);
    if (referenced.length === 0) return undefined;
    const stored = await messageImport.findContent(threadId, messageId);
    if (stored === undefined) return undefined;
    const { content: before, fileIds } = stored;
    // An export of Parlance has no placeholders: the message keeps the URL.
    if (before === messageImport.textOf(message.content))
      return referenced.every((id) => fileIds.has(id)) ? undefined : { before, content: message.content };
    const content = replacePlaceholders(
      JSON.parse(before) as JsonObject,
      message.content,
      message.placeholders ?? [],
    );
    return content === undefined ? undefined : { before, content };
  }

  return async (
    visitor: Visitor,
    context: ThreadContext,
    { source, idMap, files, signal }: Export,
  ): Promise<number> => {
    let changed = 0;
    for await (const message of source.read()) {
      signal.throwIfAborted();
      const { id: messageId, isStored } = idMap.get(message.id)!;
      const found = isStored
        ? await withMissingParts(context.threadId, messageId, message, files)
        : undefined;
      if (found === undefined) continue;
      const content = await files.rewriteUrls(found.content, message.placeholders);
      const isChanged = await db.write(async (tx) => {
        await threads.lock(tx, visitor, context.threadId);
        return await messageImport.replaceContent(tx, context, { messageId, before: found.before, content });
      });
      if (isChanged) changed++;
    }
    return changed;
  };
}

function replacePlaceholders(
  stored: JsonObject,
  incoming: JsonObject,
  placeholders: Placeholders,
): JsonObject | undefined {
  const [before, after] = [stored.content, incoming.content];
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) return undefined;
  let isChanged = false;
  const content = before.map((part, index): Json => {
    const isPlaceholder =
      placeholders[index] !== undefined && isJsonObject(part) && part.text === placeholders[index];
    isChanged ||= isPlaceholder;
    return isPlaceholder ? after[index]! : part;
  });
  return isChanged ? { ...stored, content } : undefined;
}
