import type { ImportOutcome } from "#contract/endpoints/imports.ts";
import { isId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import { isUniqueViolation } from "#storage/database/portable-sql.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { TransferFiles } from "#server/files/transfer-files.ts";
import type { MessageImport } from "#server/messages/import-messages.ts";
import type { ThreadContext } from "#server/messages/messages.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { ImportedScore, ScoreTransfer } from "#server/protocol/scores/transfer-scores.ts";
import type { ImportedThread, ThreadImport } from "#server/threads/import-threads.ts";
import type { Threads } from "#server/threads/threads.ts";
import { derivedId } from "./derived-id.ts";
import { createIncomingFiles, type IncomingFiles } from "./incoming-files.ts";
import { naming, survey, type Naming, type Survey } from "./survey-archive.ts";
import type { IncomingMessage, IncomingThread, ThreadSource } from "./thread-source.ts";

/** Takes one thread in: all of it, or nothing. */
export type Bring = (
  visitor: Visitor,
  source: ThreadSource,
  /** Where the service is reached, for the addresses of files. */
  base: string,
  signal: AbortSignal,
) => Promise<Brought>;

export type Brought = {
  outcome: Exclude<ImportOutcome, "refused">;
  threadId: string;
  /** What the file calls it. */
  title: string | null;
  /** Messages that were added. */
  messages: number;
  inTrash: boolean;
} & ReturnType<IncomingFiles["told"]>;

/** What one attempt comes to; its files are told of by who brings them. */
type Attempted = Omit<Brought, "files" | "missing">;

/** What one transaction stores, at the most: some 20 ms of SQLite, so that answers being written go on. */
const pieceRows = 250;
const pieceCharacters = 4 * 1024 * 1024;
/** Times may be ahead by a day, for clocks differ; later ones are of nobody's clock. */
const aheadMs = 24 * 3_600_000;
/** Between reading the thread and storing, somebody may take an id or delete a parent: then it is read again. */
const triesMax = 3;

export function createBring(options: {
  db: Database;
  clock: Clock;
  threads: Pick<Threads, "lock" | "touch">;
  broughtThreads: ThreadImport;
  broughtMessages: MessageImport;
  scores: ScoreTransfer;
  carried: TransferFiles;
}): Bring {
  const { db, clock, threads, broughtThreads, broughtMessages, scores, carried } = options;

  /** The thread that an import is, or becomes: of the same id where that is free or the visitor's own. */
  async function placeOf(visitor: Visitor, thread: IncomingThread["thread"]) {
    const derived = derivedId("thread", thread.id, visitor.workspaceId, momentOf(thread.created_at, 0));
    const ids = isId("thread", thread.id) ? [thread.id, derived] : [derived];
    let free: string | undefined;
    for (const id of ids) {
      const there = await broughtThreads.find(visitor, id);
      if (typeof there === "object") return { id, there };
      if (there === "absent") free ??= id;
    }
    return { id: free ?? derived, there: undefined };
  }

  async function attempt(
    visitor: Visitor,
    source: ThreadSource,
    found: Survey,
    files: IncomingFiles,
    signal: AbortSignal,
  ): Promise<Attempted> {
    const title = found.thread.thread.title ?? null;
    const { id, there } = await placeOf(visitor, found.thread.thread);
    const standing =
      there === undefined
        ? { ids: new Set<string>(), byExternalId: new Map<string, string>() }
        : await broughtMessages.findExisting(id);
    const names = await naming(found, id, standing, broughtMessages);
    const added = found.messages.filter((message) => !names.get(message.id)!.isHere).length;
    if (there?.inTrash === true || (there !== undefined && added === 0))
      return { outcome: "unchanged", threadId: id, title, messages: 0, inTrash: there.inTrash };
    const place = {
      workspaceId: visitor.workspaceId,
      threadId: id,
      userId: visitor.userId,
      nowMs: clock.now(),
    };
    const pieces = piecesOf(source, place, names, files, signal);
    if (there === undefined) return await add(visitor, place, found, names, pieces);
    await extend(visitor, place, found, names, pieces);
    return { outcome: "updated", threadId: id, title, messages: added, inTrash: false };
  }

  async function add(
    visitor: Visitor,
    place: ThreadContext,
    found: Survey,
    names: Naming,
    pieces: AsyncIterable<MessageRow[]>,
  ): Promise<Attempted> {
    const thread = threadOf(place, found);
    const isSmall = found.messages.length <= pieceRows && found.characters <= pieceCharacters;
    const rows: MessageRow[] = [];
    let isStaged = false;
    try {
      if (isSmall) for await (const piece of pieces) rows.push(...piece);
      else {
        await db.write(async (tx) => await broughtThreads.insert(tx, visitor, thread, true));
        isStaged = true;
        for await (const piece of pieces)
          await db.write(async (tx) => await broughtMessages.insert(tx, place, piece));
      }
      await db.write(async (tx) => {
        if (isSmall) {
          await broughtThreads.insert(tx, visitor, thread, false);
          await broughtMessages.insert(tx, place, rows);
        } else await broughtThreads.publish(tx, visitor, thread);
        const shown = names.get(found.thread.shown ?? "");
        if (shown !== undefined) await broughtMessages.setHead(tx, place, shown.id);
        await scores.insert(tx, visitor, place.threadId, scoresOf(found.thread, names, place.nowMs));
        await broughtThreads.announce(tx, visitor, place.threadId);
      });
    } catch (error) {
      if (isStaged) await broughtThreads.deleteStaged(place.threadId);
      throw error;
    }
    return {
      outcome: "added",
      threadId: place.threadId,
      title: thread.title,
      messages: found.messages.length,
      inTrash: thread.deletedAtMs !== null,
    };
  }

  /** Adds what a thread lacks. Each piece stands by itself, and counts as said there: what hangs below it comes later. */
  async function extend(
    visitor: Visitor,
    place: ThreadContext,
    found: Survey,
    names: Naming,
    pieces: AsyncIterable<MessageRow[]>,
  ): Promise<void> {
    for await (const piece of pieces)
      await db.write(async (tx) => {
        const newestMs = Math.max(...piece.map((row) => row.created_at));
        await threads.touch(tx, visitor, place.threadId, newestMs);
        await broughtMessages.insert(tx, place, piece);
        await broughtMessages.announce(tx, place, piece.at(-1)!);
      });
    await db.write(async (tx) => {
      await threads.lock(tx, visitor, place.threadId);
      await scores.insert(tx, visitor, place.threadId, scoresOf(found.thread, names, place.nowMs));
      await broughtThreads.announce(tx, visitor, place.threadId);
    });
  }

  /** The rows of the messages that are not here yet, in pieces for a transaction each. */
  async function* piecesOf(
    source: ThreadSource,
    place: ThreadContext,
    names: Naming,
    files: IncomingFiles,
    signal: AbortSignal,
  ): AsyncGenerator<MessageRow[]> {
    let piece: MessageRow[] = [];
    let characters = 0;
    for await (const message of source.read()) {
      signal.throwIfAborted();
      const { id, isHere } = names.get(message.id)!;
      if (isHere) continue;
      const parentId = message.parent_id === null ? null : names.get(message.parent_id)!.id;
      const settled = { ...message, content: await files.settled(message.content) };
      const row = broughtMessages.toRow(place, messageOf(settled, { id, parentId }, place.nowMs));
      piece.push(row);
      characters += row.content.length;
      if (piece.length < pieceRows && characters <= pieceCharacters) continue;
      yield piece;
      piece = [];
      characters = 0;
    }
    if (piece.length > 0) yield piece;
  }

  function threadOf(
    { threadId, nowMs }: ThreadContext,
    { thread: { thread }, messages }: Survey,
  ): ImportedThread {
    const at = (instant: string | undefined, otherwise: number) =>
      instant === undefined ? otherwise : momentOf(instant, nowMs + aheadMs);
    const times = messages
      .map(({ createdAtMs }) => createdAtMs)
      .filter((ms) => ms > 0 && ms <= nowMs + aheadMs);
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
      // What would be swept at once was thrown away before anybody could see that it is back.
      deletedAtMs: deletedAtMs === null || deletedAtMs > nowMs - limits.trashMs ? deletedAtMs : nowMs,
    };
  }

  return async (visitor, source, base, signal) => {
    const found = await survey(source);
    const described = found.thread.files;
    const files = createIncomingFiles({ carried, visitor, base, source, described, signal });
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      try {
        return { ...(await attempt(visitor, source, found, files, signal)), ...files.told() };
      } catch (error) {
        const isOutdated =
          isUniqueViolation(error) || (error instanceof AppError && error.code === "parent-not-in-thread");
        if (tries === triesMax || !isOutdated) throw error;
      }
    }
  };
}

function momentOf(instant: string | undefined, latestMs: number): number {
  const ms = instant === undefined ? 0 : Date.parse(instant);
  return Math.max(0, latestMs === 0 ? ms : Math.min(ms, latestMs));
}

function messageOf(message: IncomingMessage, at: { id: string; parentId: string | null }, nowMs: number) {
  const createdAtMs =
    message.created_at === undefined ? nowMs : momentOf(message.created_at, nowMs + aheadMs);
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
      message.updated_at === undefined ? createdAtMs : momentOf(message.updated_at, nowMs + aheadMs),
  };
}

/** Nobody is writing it here, and nobody waits for an answer about it. */
function statusOf({ status }: IncomingMessage): Pick<MessageRow, "status" | "status_reason" | "error_code"> {
  if (status === undefined) return { status: "complete", status_reason: "stop", error_code: null };
  if (status.type === "running" || status.type === "requires-action")
    return { status: "incomplete", status_reason: "interrupted", error_code: null };
  return { status: status.type, status_reason: status.reason, error_code: status.error_code };
}

function scoresOf({ scores }: IncomingThread, names: Naming, nowMs: number): ImportedScore[] {
  return scores.map((score) => {
    const createdAtMs = score.created_at === undefined ? nowMs : momentOf(score.created_at, nowMs + aheadMs);
    return {
      message_id: score.message_id === null ? null : names.get(score.message_id)!.id,
      name: score.name,
      data_type: score.data_type,
      value: score.value,
      string_value: score.string_value,
      comment: score.comment ?? null,
      created_at: createdAtMs,
      updated_at: score.updated_at === undefined ? createdAtMs : momentOf(score.updated_at, nowMs + aheadMs),
    };
  });
}
