import type { Database, Tx } from "#storage/database/database.ts";
import { lockByName } from "#storage/database/portable-sql.ts";
import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import * as rows from "../rows.ts";

/** What one person may keep, in all workspaces of a project together. */
export type Quota = {
  /** How many bytes more, as far as is known now: so that nothing is brought in vain. `Infinity` where nothing bounds it. */
  room(owner: FileOwner): Promise<number>;
  /** Throws `quota-full` where so much more has no room, as far as is known now. */
  refuse(owner: FileOwner, sizeBytes: number): Promise<void>;
  /** The same for certain: nobody else counts what this person has until the transaction ends. */
  hold(tx: Tx, owner: FileOwner, sizeBytes: number): Promise<void>;
};

export type FileOwner = Pick<rows.FileRow, "project_id" | "created_by">;

/** `quotaBytes`: for each person; `undefined`: any amount. */
export function createQuota({
  db,
  quotaBytes = Infinity,
}: {
  db: Database;
  quotaBytes: number | undefined;
}): Quota {
  async function roomIn(q: Tx["q"], owner: FileOwner): Promise<number> {
    if (quotaBytes === Infinity) return Infinity;
    const { bytes, files } = await rows.used(q, owner.project_id, owner.created_by);
    // Empty files too take their place in every list and in every count.
    return files > limits.filesPerPerson ? -1 : quotaBytes - bytes;
  }

  return {
    room: async (owner) => await roomIn(db.read, owner),

    async refuse(owner, sizeBytes) {
      if (sizeBytes > (await roomIn(db.read, owner))) throw new AppError("quota-full");
    },

    async hold(tx, owner, sizeBytes) {
      if (quotaBytes === Infinity) return;
      await lockByName(tx, `files of ${owner.project_id} ${owner.created_by}`);
      if (sizeBytes > (await roomIn(tx.q, owner))) throw new AppError("quota-full");
    },
  };
}
