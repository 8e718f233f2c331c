import type { Summary } from "#contract/endpoints/summaries.ts";
import { cleanText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { Live } from "#server/live/live.ts";
import type { Threads } from "#server/threads/threads.ts";
import * as tree from "../tree-rows.ts";
import { isInUse, presentSummary } from "./present.ts";
import * as rows from "./rows.ts";

/** The summaries that replace the oldest messages of branches in requests to models. */
export type Summaries = {
  /** The summaries in use, on all branches. Throws `thread-not-found`. */
  list(visitor: Visitor, threadId: string): Promise<Summary[]>;
  /** Throws `thread-not-found`, `summary-not-found`. */
  update(visitor: Visitor, threadId: string, messageId: string, text: string): Promise<Summary>;
  /** Throws `thread-not-found`, `summary-not-found`. */
  remove(visitor: Visitor, threadId: string, messageId: string): Promise<void>;

  /** The versions of the messages of a branch, lowest first, up to the nearest summary or the root. */
  readVersions(threadId: string, headId: string): Promise<BranchVersion>;
  /** When a person removed a summary of this branch that would be in use otherwise; `undefined` if there is none. */
  findRemoval(threadId: string, headId: string): Promise<number | undefined>;
  /**
   * Reserves the summary of a branch for `forMs`, so that no other process writes one for it. Returns false if another
   * process has reserved it, or if the messages have changed.
   */
  reserve(place: SummaryPlace, branch: BranchVersion, forMs: number): Promise<boolean>;
  /**
   * Stores the text of a reserved summary. Returns `undefined` without storing it if a covered message changed or was
   * deleted meanwhile, or if the reservation is gone.
   */
  store(
    place: SummaryPlace,
    branch: BranchVersion,
    written: { text: string; model: string },
  ): Promise<Summary | undefined>;
  /** Extends a reservation to `forMs` from now. */
  renew(place: SummaryPlace, forMs: number): Promise<void>;
  /** Ends a reservation without a summary. */
  release(place: SummaryPlace): Promise<void>;
};

/** Where a summary is stored: the thread, and the last message that it covers. */
export type SummaryPlace = { workspaceId: string; threadId: string; messageId: string };

/** The covered messages as the writer of the summary read them, lowest first, up to the summary before or the root. */
export type BranchVersion = readonly tree.MessageVersion[];

export function createSummaries(options: {
  db: Database;
  threads: Pick<Threads, "get" | "lock" | "lockAll">;
  live: Live;
  clock: Clock;
}): Summaries {
  const { db, threads, live, clock } = options;

  async function announce(tx: Tx, workspaceId: string, threadId: string): Promise<void> {
    await live.announce(tx, workspaceId, [{ type: "summary-put", thread_id: threadId }]);
  }

  /** A summary in use, for a change by a person. */
  async function find(tx: Tx, visitor: Visitor, threadId: string, messageId: string) {
    await threads.lock(tx, visitor, threadId);
    const row = await rows.findSummary(tx, threadId, messageId);
    if (row === undefined || !isInUse(row)) throw new AppError("summary-not-found");
    return row;
  }

  async function isUnchanged(tx: Tx, { threadId, messageId }: SummaryPlace, branch: BranchVersion) {
    const now = await tree.listVersions(tx.q, threadId, messageId, { limit: branch.length });
    return JSON.stringify(now) === JSON.stringify(branch);
  }

  return {
    async list(visitor, threadId) {
      await threads.get(visitor, threadId);
      return (await rows.listSummaries(db.read, threadId)).filter(isInUse).map(presentSummary);
    },

    async update(visitor, threadId, messageId, text) {
      return await db.write(async (tx) => {
        const row = await find(tx, visitor, threadId, messageId);
        const change = { text: cleanText(text), is_edited: 1, updated_at: clock.now() };
        await rows.changeSummary(tx, messageId, change);
        await announce(tx, visitor.workspaceId, threadId);
        return presentSummary({ ...row, ...change });
      });
    },

    async remove(visitor, threadId, messageId) {
      await db.write(async (tx) => {
        await find(tx, visitor, threadId, messageId);
        const nowMs = clock.now();
        await rows.changeSummary(tx, messageId, { text: "", removed_at: nowMs, updated_at: nowMs });
        await announce(tx, visitor.workspaceId, threadId);
      });
    },

    async readVersions(threadId, headId) {
      const inUse = (await rows.listSummaries(db.read, threadId)).filter(isInUse);
      const stopAt = inUse.map((row) => row.message_id);
      return await tree.listVersions(db.read, threadId, headId, { stopAt });
    },

    async findRemoval(threadId, headId) {
      const complete = (await rows.listSummaries(db.read, threadId)).filter(
        (row) => row.pending_until === null,
      );
      const ids = complete.map((row) => row.message_id);
      const nearestId = await tree.findNearest(db.read, threadId, ids, headId);
      return complete.find((row) => row.message_id === nearestId)?.removed_at ?? undefined;
    },

    async reserve(place, branch, forMs) {
      const { threadId, messageId } = place;
      return await db.write(async (tx) => {
        await threads.lockAll(tx, [threadId]);
        const nowMs = clock.now();
        for (const row of await rows.listSummaries(tx.q, threadId)) {
          if (row.pending_until === null || row.pending_until < nowMs) continue;
          if (await tree.isAncestorOrSelf(tx.q, threadId, row.message_id, messageId)) return false;
          if (await tree.isAncestorOrSelf(tx.q, threadId, messageId, row.message_id)) return false;
        }
        if (!(await isUnchanged(tx, place, branch))) return false;
        await rows.putSummary(tx, {
          message_id: messageId,
          thread_id: threadId,
          text: "",
          model: null,
          is_edited: 0,
          pending_until: nowMs + forMs,
          removed_at: null,
          created_at: nowMs,
          updated_at: nowMs,
        });
        return true;
      });
    },

    async store(place, branch, { text, model }) {
      const { workspaceId, threadId, messageId } = place;
      return await db.write(async (tx) => {
        await threads.lockAll(tx, [threadId]);
        const row = await rows.findSummary(tx, threadId, messageId);
        if (row === undefined || row.pending_until === null) return undefined;
        if (!(await isUnchanged(tx, place, branch))) {
          await rows.deleteSummaries(tx, threadId, [messageId]);
          return undefined;
        }
        const nowMs = clock.now();
        const change = {
          text: cleanText(text),
          model,
          pending_until: null,
          created_at: nowMs,
          updated_at: nowMs,
        };
        await rows.changeSummary(tx, messageId, change);
        await announce(tx, workspaceId, threadId);
        return presentSummary({ ...row, ...change });
      });
    },

    async renew({ threadId, messageId }, forMs) {
      await db.write(async (tx) => await rows.renewPending(tx, threadId, messageId, clock.now() + forMs));
    },

    async release({ threadId, messageId }) {
      await db.write(async (tx) => await rows.deletePending(tx, threadId, messageId));
    },
  };
}
