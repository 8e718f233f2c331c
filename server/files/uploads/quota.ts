import type { Database, Tx } from "#storage/database/database.ts";
import { lockByName } from "#storage/database/portable-sql.ts";
import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import * as rows from "../rows.ts";

/** The storage quota of each person, over all workspaces of a project. */
export type Quota = {
  /** May be outdated a moment later. `Infinity` without a quota. */
  bytesLeft(owner: FileOwner): Promise<number>;
  /** Throws `quota-full` if so much more does not fit. May be outdated a moment later. */
  check(owner: FileOwner, sizeBytes: number): Promise<void>;
  /** The same under a lock, which lasts until the transaction ends. */
  lockAndCheck(tx: Tx, owner: FileOwner, sizeBytes: number): Promise<void>;
};

export type FileOwner = Pick<rows.FileRow, "project_id" | "created_by">;

/** `quotaBytes`: per person; `undefined`: no limit. */
export function createQuota({
  db,
  quotaBytes = Infinity,
}: {
  db: Database;
  quotaBytes: number | undefined;
}): Quota {
  async function bytesLeft(q: Tx["q"], owner: FileOwner): Promise<number> {
    if (quotaBytes === Infinity) return Infinity;
    const { bytes, files } = await rows.usage(q, owner.project_id, owner.created_by);
    // The number of files is limited too, because empty files cost time in lists.
    return files > limits.filesPerPerson ? -1 : quotaBytes - bytes;
  }

  return {
    bytesLeft: async (owner) => await bytesLeft(db.read, owner),

    async check(owner, sizeBytes) {
      if (sizeBytes > (await bytesLeft(db.read, owner))) throw new AppError("quota-full");
    },

    async lockAndCheck(tx, owner, sizeBytes) {
      if (quotaBytes === Infinity) return;
      await lockByName(tx, `files of ${owner.project_id} ${owner.created_by}`);
      if (sizeBytes > (await bytesLeft(tx.q, owner))) throw new AppError("quota-full");
    },
  };
}
