import type { ImportOutcome, SkippedContent } from "#contract/endpoints/imports.ts";
import { isId } from "#contract/ids.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { isUniqueViolation } from "#storage/database/portable-sql.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { TransferFiles } from "#server/files/transfer-files.ts";
import type { MessageImport } from "#server/messages/import-messages.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import type { ThreadContext } from "#server/messages/write-messages.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { ScoreTransfer } from "#server/protocol/scores/transfer-scores.ts";
import type { ThreadImport } from "#server/threads/import-threads.ts";
import type { Threads } from "#server/threads/threads.ts";
import { createAddMissingFiles } from "./add-missing-files.ts";
import { derivedId } from "./derived-id.ts";
import { createIncomingFiles, type IncomingFiles } from "./incoming-files.ts";
import { scoresOf, threadOf, timeOf } from "./incoming-rows.ts";
import { isOneBatch, messageBatches } from "./message-batches.ts";
import { mapIds, summarize, type IdMap, type ThreadSummary } from "./summarize-thread.ts";
import type { IncomingThread, ThreadSource } from "./thread-source.ts";

/** Finds the thread to update, or an id for a new one: the same id if it is free or the visitor's own. */
export async function findTarget(
  threadImport: Pick<ThreadImport, "find">,
  visitor: Visitor,
  thread: IncomingThread["thread"],
  formerWorkspaceId = visitor.workspaceId,
) {
  const derivedFor = (workspaceId: string) =>
    derivedId("thread", thread.id, workspaceId, timeOf(thread.created_at, 0));
  const derived = derivedFor(visitor.workspaceId);
  const own = isId("thread", thread.id) ? [thread.id, derived] : [derived];
  const ids = formerWorkspaceId === visitor.workspaceId ? own : [...own, derivedFor(formerWorkspaceId)];
  let free: string | undefined;
  for (const id of ids) {
    const existing = await threadImport.find(visitor, id);
    if (typeof existing === "object") return { id, existing };
    if (existing === "absent") free ??= id;
  }
  return { id: free ?? derived, existing: undefined };
}

/** Imports a thread, all of it or nothing. */
export type ImportThread = (
  visitor: Visitor,
  source: ThreadSource,
  /** The URL of the service, for the URLs of files. */
  base: string,
  signal: AbortSignal,
) => Promise<ImportResult>;

export type ImportResult = {
  outcome: Exclude<ImportOutcome, "refused">;
  threadId: string;
  /** The title in the export. */
  title: string | null;
  /** Messages that were added. */
  messages: number;
  inTrash: boolean;
  /** What was in the export but is not imported. */
  skipped: SkippedContent[];
} & ReturnType<IncomingFiles["report"]>;

type Attempted = Omit<ImportResult, "files" | "missing" | "skipped">;

/** The import is retried if another request takes an id or deletes a parent meanwhile. */
const triesMax = 3;

export function createImportThread(options: {
  db: Database;
  clock: Clock;
  threads: Pick<Threads, "lock" | "touch">;
  threadImport: ThreadImport;
  messageImport: MessageImport;
  scores: ScoreTransfer;
  transferFiles: TransferFiles;
}): ImportThread {
  const { db, clock, threads, threadImport, messageImport, scores, transferFiles } = options;

  const addMissingFiles = createAddMissingFiles({ db, threads, messageImport });

  async function attempt(
    visitor: Visitor,
    source: ThreadSource,
    summary: ThreadSummary,
    files: IncomingFiles,
    signal: AbortSignal,
  ): Promise<Attempted> {
    const title = summary.thread.thread.title ?? null;
    const { id, existing } = await findTarget(
      threadImport,
      visitor,
      summary.thread.thread,
      source.formerWorkspaceId,
    );
    const existingIds =
      existing === undefined
        ? { ids: new Set<string>(), byExternalId: new Map<string, string>() }
        : await messageImport.findExisting(id);
    const idMap = await mapIds(summary, id, existingIds, messageImport);
    const added = summary.messages.filter((message) => !idMap.get(message.id)!.isStored).length;
    if (existing?.inTrash === true)
      return { outcome: "unchanged", threadId: id, title, messages: 0, inTrash: true };
    const context = {
      workspaceId: visitor.workspaceId,
      threadId: id,
      userId: visitor.userId,
      nowMs: clock.now(),
    };
    const batches = messageBatches({ messageImport, source, context, idMap, files, signal });
    if (existing === undefined) return await add(visitor, context, summary, idMap, batches);
    if (added > 0) await extend(visitor, context, summary, idMap, batches);
    const completed = await addMissingFiles(visitor, context, { source, idMap, files, signal });
    const outcome = added + completed === 0 ? "unchanged" : "updated";
    return { outcome, threadId: id, title, messages: added, inTrash: false };
  }

  /** Adds the thread with its messages: in one transaction, or hidden until the last of several. */
  async function add(
    visitor: Visitor,
    context: ThreadContext,
    summary: ThreadSummary,
    idMap: IdMap,
    batches: AsyncIterable<MessageRow[]>,
  ): Promise<Attempted> {
    const thread = threadOf(context, summary);
    const complete = async (tx: Tx) => {
      const shown = idMap.get(summary.thread.shown ?? "");
      if (shown !== undefined) await messageImport.setHead(tx, context, shown.id);
      await scores.insert(tx, visitor, context.threadId, scoresOf(summary.thread, idMap, context.nowMs));
      await threadImport.announce(tx, visitor, context.threadId);
    };
    if (isOneBatch(summary)) {
      const rows = (await Array.fromAsync(batches)).flat();
      await db.write(async (tx) => {
        await threadImport.insert(tx, visitor, thread, false);
        await messageImport.insert(tx, context, rows);
        await complete(tx);
      });
    } else {
      await db.write(async (tx) => await threadImport.insert(tx, visitor, thread, true));
      try {
        for await (const batch of batches)
          await db.write(async (tx) => await messageImport.insert(tx, context, batch));
        await db.write(async (tx) => {
          await threadImport.publish(tx, visitor, thread);
          await complete(tx);
        });
      } catch (error) {
        await threadImport.deleteStaged(context.threadId);
        throw error;
      }
    }
    return {
      outcome: "added",
      threadId: context.threadId,
      title: thread.title,
      messages: summary.messages.length,
      inTrash: thread.deletedAtMs !== null,
    };
  }

  /** Adds the missing messages to an existing thread. Parents come before their children, so each batch is complete. */
  async function extend(
    visitor: Visitor,
    context: ThreadContext,
    summary: ThreadSummary,
    idMap: IdMap,
    batches: AsyncIterable<MessageRow[]>,
  ): Promise<void> {
    for await (const batch of batches)
      await db.write(async (tx) => {
        const newestMs = Math.max(...batch.map((row) => row.created_at));
        await threads.lock(tx, visitor, context.threadId);
        await threads.touch(tx, visitor, context.threadId, newestMs);
        await messageImport.insert(tx, context, batch);
        await messageImport.announce(tx, context, batch.at(-1)!);
      });
    await db.write(async (tx) => {
      await threads.lock(tx, visitor, context.threadId);
      await scores.insert(tx, visitor, context.threadId, scoresOf(summary.thread, idMap, context.nowMs));
      await threadImport.announce(tx, visitor, context.threadId);
    });
  }

  return async (visitor, source, base, signal) => {
    const summary = await summarize(source);
    const described = summary.thread.files;
    const files = createIncomingFiles({ transferFiles, visitor, base, source, described, signal });
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      try {
        const result = await attempt(visitor, source, summary, files, signal);
        const skipped = result.outcome === "unchanged" ? [] : ((await source.skipped?.()) ?? []);
        return { ...result, ...files.report(), skipped };
      } catch (error) {
        const isOutdated =
          isUniqueViolation(error) || (error instanceof AppError && error.code === "parent-not-in-thread");
        if (tries === triesMax || !isOutdated) throw error;
      }
    }
  };
}
