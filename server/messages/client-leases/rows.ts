import type { Tx } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";
import type { Engine } from "#storage/lib/engine.ts";
import type { ThreadMove } from "../../threads/claim.ts";

/** The SQL of clients' leases. */

export type LeaseRow = Row<"client_leases">;

/** Stores a lease of a message. It takes the place of the message's last one, whose id is then unknown. */
export async function putLease(tx: Tx, lease: NewRow<"client_leases">): Promise<void> {
  const { message_id: _, ...change } = lease;
  await tx.q
    .insertInto("client_leases")
    .values(lease)
    .onConflict((conflict) => conflict.column("message_id").doUpdateSet(change))
    .execute();
}

export async function changeLease(tx: Tx, id: string, change: RowChange<"client_leases">): Promise<void> {
  await tx.q.updateTable("client_leases").set(change).where("id", "=", id).execute();
}

export async function findLease(tx: Tx, threadId: string, id: string): Promise<LeaseRow | undefined> {
  return await tx.q
    .selectFrom("client_leases")
    .selectAll()
    .where("id", "=", id)
    .where("thread_id", "=", threadId)
    .executeTakeFirst();
}

export async function findLeaseOf(tx: Tx, messageId: string): Promise<LeaseRow | undefined> {
  return await tx.q
    .selectFrom("client_leases")
    .selectAll()
    .where("message_id", "=", messageId)
    .executeTakeFirst();
}

/** The leases of these messages. */
export async function findLeases(
  { q, engine }: { q: Kysely<Tables>; engine: Engine },
  messageIds: string[],
): Promise<LeaseRow[]> {
  if (messageIds.length === 0) return [];
  return await q
    .selectFrom("client_leases")
    .selectAll()
    .where("message_id", "in", idsOf({ engine }, messageIds))
    .execute();
}

/** How many leases of the workspace are open whose holder was heard of after `heardSince`. */
export async function countHeard(tx: Tx, workspaceId: string, heardSince: number): Promise<number> {
  const { count } = await tx.q
    .selectFrom("client_leases")
    .select((lease) => lease.fn.countAll<number>().as("count"))
    .where("workspace_id", "=", workspaceId)
    .where("heartbeat_at", ">", heardSince)
    .where("ended_at", "is", null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Moves the leases of moved threads to the new workspace. */
export async function moveLeases(tx: Tx, { threadIds, to }: ThreadMove): Promise<void> {
  await tx.q
    .updateTable("client_leases")
    .set({ workspace_id: to.workspaceId })
    .where("thread_id", "in", idsOf(tx, threadIds))
    .execute();
}
