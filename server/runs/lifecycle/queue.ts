import type { JsonObject } from "#contract/json.ts";
import type { RunStarted } from "#contract/endpoints/runs.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Live } from "#server/live/live.ts";
import type { Messages, ThreadContext } from "#server/messages/messages.ts";
import type { Queue, QueuedRow } from "#server/messages/queue.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { Threads } from "#server/threads/threads.ts";
import * as rows from "../rows.ts";
import type { RunCaps } from "./run-limits.ts";
import { storeRun } from "./store-run.ts";

export type QueueRooms = {
  threads: Threads;
  messages: Messages;
  live: Live;
  queue: Queue;
  leaseOwner: string;
};

/**
 * In the transaction in which a run ended: what waited after its reply first becomes a message and a run, which whoever
 * carries out runs begins when this is committed. Dies the process before it does, the run is asked again like any that
 * had said nothing. The thread is held. Nothing is sent after an answer that failed or was interrupted, nor in the trash.
 */
export async function sendNext(
  tx: Tx,
  rooms: QueueRooms,
  ended: rows.RunRow,
  nowMs: number,
): Promise<rows.RunRow | undefined> {
  if (ended.thread_id === null || ended.reply_id === null) return undefined;
  const entry = await rooms.queue.findFirst(tx, ended.thread_id, ended.reply_id);
  if (entry === undefined) return undefined;
  const place = {
    projectId: ended.project_id,
    workspaceId: ended.workspace_id,
    threadId: ended.thread_id,
    userId: entry.created_by,
    nowMs,
  };
  const isOpen = (await rooms.threads.filterOwnIds(tx, place, [place.threadId])).size > 0;
  return isOpen
    ? await send(tx, rooms, place, entry, { parentId: entry.parent_id, unasked: true })
    : undefined;
}

/**
 * Sends an entry that is held, before the others. A second time answers the same. Throws `thread-not-found`,
 * `queued-not-found`, and `thread-busy` where an answer before it is being written: its turn will come; `too-many-runs`.
 */
export type SendNow = (visitor: Visitor, threadId: string, id: string) => Promise<RunStarted>;

export function createSendNow(
  options: QueueRooms & { db: Database; clock: Clock; caps: RunCaps; begin: (run: rows.RunRow) => void },
): SendNow {
  const { db, clock, threads, messages, queue } = options;
  return async (visitor, threadId, id) => {
    const { run, made } = await db.write(async (tx) => {
      await threads.lock(tx, visitor, threadId);
      const entry = await queue.find(tx, threadId, id);
      if (entry === undefined) return { run: await sentBefore(tx, messages, threadId, id), made: false };
      const place: ThreadContext = {
        workspaceId: visitor.workspaceId,
        threadId,
        userId: visitor.userId,
        nowMs: clock.now(),
      };
      const parentId = await messages.findBranchEnd(tx, place, entry.parent_id);
      for (const above of [entry.parent_id, parentId])
        if ((await rows.findBusy(tx, above)) !== undefined) throw new AppError("thread-busy");
      await options.caps.check(tx, visitor);
      const begun = await send(tx, options, { ...place, projectId: visitor.projectId }, entry, { parentId });
      return { run: begun, made: true };
    });
    if (made) options.begin(run);
    return { run_id: run.id, message_id: run.message_id!, reply_id: run.reply_id! };
  };
}

async function send(
  tx: Tx,
  rooms: QueueRooms,
  place: ThreadContext & { projectId: string },
  entry: QueuedRow,
  how: { parentId: string; unasked?: boolean },
): Promise<rows.RunRow> {
  const message = await rooms.messages.addUserMessage(
    tx,
    { ...place, userId: entry.created_by },
    { id: entry.id, parentId: how.parentId, content: JSON.parse(entry.content) as JsonObject },
  );
  const run = await storeRun(tx, rooms, {
    place,
    message,
    runId: entry.run_id,
    replyId: entry.reply_id,
    assistantId: entry.assistant_id,
    model: entry.model,
    hash: entry.request_hash,
    timeZone: entry.time_zone,
    leaseOwner: rooms.leaseOwner,
    unasked: how.unasked ?? false,
  });
  await rooms.queue.markSent(tx, place, entry);
  return run;
}

async function sentBefore(tx: Tx, messages: Messages, threadId: string, id: string): Promise<rows.RunRow> {
  const message = await messages.findAnywhere(tx, id);
  const run = message?.thread_id === threadId ? await rows.findFirstAnswering(tx, id) : undefined;
  if (run === undefined) throw new AppError("queued-not-found");
  return run;
}
