import type { Database, Tx } from "#storage/database/database.ts";
import { isOneOf } from "#storage/database/portable-sql.ts";
import type { Row } from "#storage/database/tables.ts";
import type { Kind } from "./kinds.ts";

/** The SQL of jobs: a table that only this module writes. */

export type JobRow = Row<"jobs"> & { kind: Kind };

/** Returns whether the job is new. */
export async function insertJob(tx: Tx, job: JobRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows: count } = await tx.q
    .insertInto("jobs")
    .values(job)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .executeTakeFirst();
  return count === 1n;
}

/** The next jobs of these kinds that are due by `dueBy` or are leased. A time after `dueAfter` is that of a wrong clock. */
export async function findJobs(
  db: Pick<Database, "engine" | "read">,
  kinds: Kind[],
  {
    dueBy,
    dueAfter,
    exceptIds,
    exceptWorkspaceIds,
    limit,
  }: { dueBy: number; dueAfter: number; exceptIds: string[]; exceptWorkspaceIds: string[]; limit: number },
): Promise<JobRow[]> {
  const found = await db.read
    .selectFrom("jobs")
    .selectAll()
    .where(isOneOf(db, "kind", kinds))
    .where((is) =>
      is.or([is("due_at", "<=", dueBy), is("due_at", ">", dueAfter), is("lease_owner", "is not", null)]),
    )
    .where((is) => is.not(isOneOf(db, "id", exceptIds)))
    .where((is) =>
      is.or([is("workspace_id", "is", null), is.not(isOneOf(db, "workspace_id", exceptWorkspaceIds))]),
    )
    .orderBy("due_at")
    .limit(limit)
    .execute();
  return found as JobRow[];
}

export type Lease = { lease_owner: string; lease_expires_at: number };

/** Leases the job, if it is still as it was found. Returns it as it is then. */
export async function leaseJob(tx: Tx, found: JobRow, lease: Lease): Promise<JobRow | undefined> {
  const changed = { ...lease, attempts: found.attempts + 1 };
  const { numUpdatedRows } = await tx.q
    .updateTable("jobs")
    .set(changed)
    .where("id", "=", found.id)
    .where("due_at", "=", found.due_at)
    .where("attempts", "=", found.attempts)
    .where("lease_owner", found.lease_owner === null ? "is" : "=", found.lease_owner)
    .executeTakeFirst();
  return numUpdatedRows > 0n ? { ...found, ...changed } : undefined;
}

export async function renewLeases(
  tx: Tx,
  ids: string[],
  { lease_owner: owner, ...lease }: Lease,
): Promise<void> {
  await tx.q
    .updateTable("jobs")
    .set(lease)
    .where(isOneOf(tx, "id", ids))
    .where("lease_owner", "=", owner)
    .execute();
}

/** Ends the lease of a job of this process, which is due again at that time. */
export async function releaseJob(
  tx: Tx,
  { id, lease_owner: owner }: JobRow,
  next: Pick<JobRow, "due_at" | "attempts">,
): Promise<void> {
  await tx.q
    .updateTable("jobs")
    .set({ ...next, lease_owner: null, lease_expires_at: null })
    .where("id", "=", id)
    .where("lease_owner", "=", owner)
    .execute();
}

export async function deleteJob(tx: Tx, { id, lease_owner: owner }: JobRow): Promise<void> {
  await tx.q.deleteFrom("jobs").where("id", "=", id).where("lease_owner", "=", owner).execute();
}

/** In the transaction of an erasure: deletes the jobs of this person. */
export async function eraseJobs(tx: Tx, { appId, userId }: { appId: string; userId: string }): Promise<void> {
  const workspaces = tx.q.selectFrom("workspaces").select("id").where("app_id", "=", appId);
  await tx.q
    .deleteFrom("jobs")
    .where("user_id", "=", userId)
    .where((is) => is.or([is("workspace_id", "is", null), is("workspace_id", "in", workspaces)]))
    .execute();
}
