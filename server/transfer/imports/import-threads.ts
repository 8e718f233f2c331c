import type { ImportOutcome, SkippedContent } from "#contract/endpoints/imports.ts";
import { isId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import { isUniqueViolation } from "#storage/database/portable-sql.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { TransferFiles } from "#server/files/transfer-files.ts";
import type { MessageImport } from "#server/messages/import-messages.ts";
import type { ThreadContext } from "#server/messages/write-messages.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { ImportedScore, ScoreTransfer } from "#server/protocol/scores/transfer-scores.ts";
import type { ImportedThread, ThreadImport } from "#server/threads/import-threads.ts";
import type { Threads } from "#server/threads/threads.ts";
import { createAddMissingFiles } from "./add-missing-files.ts";
import { derivedId } from "./derived-id.ts";
import { createIncomingFiles, type IncomingFiles } from "./incoming-files.ts";
import { mapIds, summarize, type IdMap, type ThreadSummary } from "./summarize-thread.ts";
import type { IncomingMessage, IncomingThread, ThreadSource } from "./thread-source.ts";

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

/** The limit of one transaction: some 20 ms of SQLite, so that streaming answers do not stall. */
const batchRows = 250;
const batchCharacters = 4 * 1024 * 1024;
/** Clocks differ, so times may be up to a day in the future. Later ones are replaced. */
const clockSkewMs = 24 * 3_600_000;
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

  /** Finds the thread to update, or an id for a new one: the same id if it is free or the visitor's own. */
  async function findTarget(visitor: Visitor, thread: IncomingThread["thread"]) {
    const derived = derivedId("thread", thread.id, visitor.workspaceId, timeOf(thread.created_at, 0));
    const ids = isId("thread", thread.id) ? [thread.id, derived] : [derived];
    let free: string | undefined;
    for (const id of ids) {
      const existing = await threadImport.find(visitor, id);
      if (typeof existing === "object") return { id, existing };
      if (existing === "absent") free ??= id;
    }
    return { id: free ?? derived, existing: undefined };
  }

  async function attempt(
    visitor: Visitor,
    source: ThreadSource,
    summary: ThreadSummary,
    files: IncomingFiles,
    signal: AbortSignal,
  ): Promise<Attempted> {
    const title = summary.thread.thread.title ?? null;
    const { id, existing } = await findTarget(visitor, summary.thread.thread);
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
    const batches = batchesOf(source, context, idMap, files, signal);
    if (existing === undefined) return await add(visitor, context, summary, idMap, batches);
    if (added > 0) await extend(visitor, context, summary, idMap, batches);
    const completed = await addMissingFiles(visitor, context, { source, idMap, files, signal });
    const outcome = added + completed === 0 ? "unchanged" : "updated";
    return { outcome, threadId: id, title, messages: added, inTrash: false };
  }

  async function add(
    visitor: Visitor,
    context: ThreadContext,
    summary: ThreadSummary,
    idMap: IdMap,
    batches: AsyncIterable<MessageRow[]>,
  ): Promise<Attempted> {
    const thread = threadOf(context, summary);
    const isSmall = summary.messages.length <= batchRows && summary.characters <= batchCharacters;
    const rows: MessageRow[] = [];
    let isStaged = false;
    try {
      if (isSmall) for await (const batch of batches) rows.push(...batch);
      else {
        await db.write(async (tx) => await threadImport.insert(tx, visitor, thread, true));
        isStaged = true;
        for await (const batch of batches)
          await db.write(async (tx) => await messageImport.insert(tx, context, batch));
      }
      await db.write(async (tx) => {
        if (isSmall) {
          await threadImport.insert(tx, visitor, thread, false);
          await messageImport.insert(tx, context, rows);
        } else await threadImport.publish(tx, visitor, thread);
        const shown = idMap.get(summary.thread.shown ?? "");
        if (shown !== undefined) await messageImport.setHead(tx, context, shown.id);
        await scores.insert(tx, visitor, context.threadId, scoresOf(summary.thread, idMap, context.nowMs));
        await threadImport.announce(tx, visitor, context.threadId);
      });
    } catch (error) {
      if (isStaged) await threadImport.deleteStaged(context.threadId);
      throw error;
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

  /** The rows of the missing messages, in batches for one transaction each. */
  async function* batchesOf(
    source: ThreadSource,
    context: ThreadContext,
    idMap: IdMap,
    files: IncomingFiles,
    signal: AbortSignal,
  ): AsyncGenerator<MessageRow[]> {
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

  function threadOf(
    { threadId, nowMs }: ThreadContext,
    { thread: { thread }, messages }: ThreadSummary,
  ): ImportedThread {
    const at = (instant: string | undefined, otherwise: number) =>
      instant === undefined ? otherwise : timeOf(instant, nowMs + clockSkewMs);
    const times = messages
      .map(({ createdAtMs }) => createdAtMs)
      .filter((ms) => ms > 0 && ms <= nowMs + clockSkewMs);
    const first = times.length === 0 ? nowMs : times.reduce((a, b) => Math.min(a, b));
    const last = times.length === 0 ? nowMs : times.reduce((a, b) => Math.max(a, b));
    const createdAtMs = at(thread.created_at, first);
    const lastMessageAtMs = at(thread.last_message_at, last);
    const deletedAtMs = thread.deleted_at == null ? null : at(thread.deleted_at, nowMs);
    return {
      id: threadId,
      title: thread.title ?? null,
      titleSource: thread.title_source ?? "person",
      externalId: thread.external_id ?? null,
      metadata: thread.metadata ?? null,
      archived: thread.is_archived ?? false,
      pinned: thread.is_pinned ?? false,
      assistantId: thread.assistant_id ?? null,
      model: thread.model ?? null,
      createdAtMs,
      updatedAtMs: at(thread.updated_at, lastMessageAtMs),
      lastMessageAtMs,
      // An old thread from the trash starts its time in the trash again, so that it is not swept at once.
      deletedAtMs: deletedAtMs === null || deletedAtMs > nowMs - limits.trashMs ? deletedAtMs : nowMs,
    };
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

function timeOf(instant: string | undefined, latestMs: number): number {
  const ms = instant === undefined ? 0 : Date.parse(instant);
  return Math.max(0, latestMs === 0 ? ms : Math.min(ms, latestMs));
}

function messageOf(message: IncomingMessage, at: { id: string; parentId: string | null }, nowMs: number) {
  const createdAtMs =
    message.created_at === undefined ? nowMs : timeOf(message.created_at, nowMs + clockSkewMs);
  return {
    id: at.id,
    parent_id: at.parentId,
    external_id: message.external_id ?? null,
    role: message.role,
    format: message.format,
    content: message.content,
    author: message.made_by ?? null,
    status: statusOf(message),
    createdAtMs,
    updatedAtMs:
      message.updated_at === undefined ? createdAtMs : timeOf(message.updated_at, nowMs + clockSkewMs),
  };
}

/** A message that was streaming or waiting when it was exported is interrupted. */
function statusOf({ status }: IncomingMessage): Pick<MessageRow, "status" | "status_reason" | "error_code"> {
  if (status === undefined) return { status: "complete", status_reason: "stop", error_code: null };
  if (status.type === "running" || status.type === "requires-action")
    return { status: "incomplete", status_reason: "interrupted", error_code: null };
  return { status: status.type, status_reason: status.reason, error_code: status.error_code };
}

function scoresOf({ scores }: IncomingThread, idMap: IdMap, nowMs: number): ImportedScore[] {
  return scores.map((score) => {
    const createdAtMs =
      score.created_at === undefined ? nowMs : timeOf(score.created_at, nowMs + clockSkewMs);
    return {
      message_id: score.message_id === null ? null : idMap.get(score.message_id)!.id,
      name: score.name,
      data_type: score.data_type,
      value: score.value,
      string_value: score.string_value,
      comment: score.comment ?? null,
      created_at: createdAtMs,
      updated_at:
        score.updated_at === undefined ? createdAtMs : timeOf(score.updated_at, nowMs + clockSkewMs),
    };
  });
}
