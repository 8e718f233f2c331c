import { limits } from "#contract/limits.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { lockByName } from "#storage/database/portable-sql.ts";
import { AppError } from "../lib/errors.ts";
import type { Visitor } from "../lib/route.ts";
import * as rows from "./rows.ts";

/**
 * The storage quota of each person, over all workspaces of an app: files, and the text of the threads they created.
 */
export type Quota = {
  /** Per person; `undefined`: no limit. */
  totalBytes: number | undefined;
  /** The used bytes. May be outdated a moment later. */
  usedBytes(owner: rows.Owner): Promise<number>;
  /** May be outdated a moment later. `Infinity` without a quota. */
  bytesLeft(owner: rows.Owner): Promise<number>;
  /** Throws `quota-full` if `sizeBytes` more do not fit. May be outdated a moment later. */
  check(owner: rows.Owner, sizeBytes: number): Promise<void>;
  /** Like `check`, under a lock that lasts until the transaction ends. */
  lockAndCheck(tx: Tx, owner: rows.Owner, sizeBytes: number): Promise<void>;
  /**
   * In a transaction that has written to a thread: throws `quota-full` if the thread's creator now uses more than the
   * quota. Without a lock: concurrent writes to different threads can exceed the quota by one message each.
   */
  checkThread(tx: Tx, threadId: string): Promise<void>;
  /**
   * The same for a message of this visitor. A member of a shared thread adds to the quota of its creator: throws
   * `member-quota-full` if the member has added more than their share. Files count for the member themselves.
   */
  checkMessage(tx: Tx, threadId: string, visitor: Pick<Visitor, "userId" | "memberAccess">): Promise<void>;
};

export function createQuota({ db, totalBytes }: { db: Database; totalBytes: number | undefined }): Quota {
  const quotaBytes = totalBytes ?? Infinity;

  async function bytesLeft(q: Tx["q"], owner: rows.Owner): Promise<number> {
    if (quotaBytes === Infinity) return Infinity;
    const { bytes, files } = await rows.usage(q, owner);
    // The number of files is limited too, because empty files cost time in lists.
    return files > limits.filesPerPerson ? -1 : quotaBytes - bytes;
  }

  async function checkThread(tx: Tx, threadId: string): Promise<void> {
    if (quotaBytes === Infinity) return;
    const bytes = await rows.usageOfCreator(tx.q, threadId);
    if (bytes > quotaBytes) throw new AppError("quota-full");
  }

  return {
    totalBytes,
    usedBytes: async (owner) => (await rows.usage(db.read, owner)).bytes,
    bytesLeft: async (owner) => await bytesLeft(db.read, owner),

    async check(owner, sizeBytes) {
      if (sizeBytes > (await bytesLeft(db.read, owner))) throw new AppError("quota-full");
    },

    async lockAndCheck(tx, owner, sizeBytes) {
      if (quotaBytes === Infinity) return;
      await lockByName(tx, `files of ${owner.app_id} ${owner.created_by}`);
      if (sizeBytes > (await bytesLeft(tx.q, owner))) throw new AppError("quota-full");
    },

    checkThread,
    async checkMessage(tx, threadId, { userId, memberAccess }) {
      await checkThread(tx, threadId);
      if (quotaBytes === Infinity || memberAccess === undefined) return;
      const bytes = await rows.usageOfMember(tx.q, threadId, userId);
      if (bytes > quotaBytes * limits.memberQuotaShare) throw new AppError("member-quota-full");
    },
  };
}
