import type { MissingFile } from "#contract/endpoints/imports.ts";
import type { MessageImport } from "#server/messages/import-messages.ts";
import type { ThreadImport } from "#server/threads/import-threads.ts";
import { findTarget, type ImportThread } from "./import-thread.ts";
import { mapIds, summarize } from "./summarize-thread.ts";

/**
 * What the import of a thread would add, without writing anything. Whether there is room for its files, and whether an
 * existing thread lacks some of them, is known only when it is imported.
 */
export function createPreviewThread({
  threadImport,
  messageImport,
}: {
  threadImport: Pick<ThreadImport, "find">;
  messageImport: Pick<MessageImport, "findExisting" | "findTakenIds">;
}): ImportThread {
  return async (visitor, source, _base, signal) => {
    const summary = await summarize(source);
    signal.throwIfAborted();
    const { id, existing } = await findTarget(
      threadImport,
      visitor,
      summary.thread.thread,
      source.formerWorkspaceId,
    );
    const stored = existing === undefined ? undefined : await messageImport.findExisting(id);
    const none = { ids: new Set<string>(), byExternalId: new Map<string, string>() };
    const idMap = await mapIds(summary, id, stored ?? none, messageImport);
    const added =
      existing?.inTrash === true ? 0 : [...idMap.values()].filter(({ isStored }) => !isStored).length;
    const isNew = existing === undefined;
    const outcome = isNew ? "added" : added > 0 ? "updated" : "unchanged";
    const missing: MissingFile[] = [];
    if (outcome !== "unchanged")
      for await (const message of source.read()) missing.push(...(message.lost ?? []));
    return {
      outcome,
      threadId: id,
      title: summary.thread.thread.title ?? null,
      messages: added,
      inTrash: existing?.inTrash === true,
      files: isNew ? summary.thread.files.length : 0,
      missing,
      skipped: outcome === "unchanged" ? [] : ((await source.skipped?.()) ?? []),
    };
  };
}
