import type { Tx } from "#storage/database/database.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";
import type { Position } from "#server/lib/page.ts";

/** The SQL of people who are prepared. */

export type PreparedRow = Row<"prepared_people">;

/** With the last invitation, and the chats that wait. */
export type ListedRow = PreparedRow & { expires_at: number | null; threads: number | string };

/** A page after `after`, the newest first. `nowMs`: an invitation that has expired is none. */
export async function listPrepared(
  q: Kysely<Tables>,
  { after, limit, nowMs }: { after: Position | undefined; limit: number; nowMs: number },
): Promise<ListedRow[]> {
  let query = q
    .selectFrom("prepared_people")
    .innerJoin("users", "users.id", "prepared_people.user_id")
    .leftJoin("invitations", (join) =>
      join
        .onRef("invitations.id", "=", "prepared_people.invitation_id")
        .on("invitations.revoked_at", "is", null)
        .on("invitations.expires_at", ">", nowMs),
    )
    .selectAll("prepared_people")
    .select([
      "invitations.expires_at",
      sql<number | string>`(
        select count(*) from threads where threads.workspace_id = users.workspace_id and threads.deleted_at is null
      )`.as("threads"),
    ])
    .orderBy("prepared_people.created_at", "desc")
    .orderBy("prepared_people.user_id", "desc")
    .limit(limit);
  if (after !== undefined)
    query = query.where(
      sql<boolean>`(prepared_people.created_at, prepared_people.user_id) < (${after.atMs}, ${after.id})`,
    );
  return await query.execute();
}

export async function findPrepared(
  q: Kysely<Tables>,
  by: { userId: string } | { emailKey: string },
): Promise<PreparedRow | undefined> {
  return await q
    .selectFrom("prepared_people")
    .selectAll()
    .where("userId" in by ? "user_id" : "email_key", "=", "userId" in by ? by.userId : by.emailKey)
    .orderBy("created_at")
    .orderBy("user_id")
    .limit(1)
    .executeTakeFirst();
}

export async function insertPrepared(tx: Tx, row: NewRow<"prepared_people">): Promise<void> {
  await tx.q.insertInto("prepared_people").values(row).execute();
}

export async function changePrepared(
  tx: Tx,
  userId: string,
  change: RowChange<"prepared_people">,
): Promise<void> {
  await tx.q.updateTable("prepared_people").set(change).where("user_id", "=", userId).execute();
}

/** Deletes the row, so that nobody else gets what it is for. Returns it if it was there. */
export async function takePrepared(
  tx: Tx,
  by: { userId: string } | { invitationId: string },
): Promise<PreparedRow | undefined> {
  return await tx.q
    .deleteFrom("prepared_people")
    .where("userId" in by ? "user_id" : "invitation_id", "=", "userId" in by ? by.userId : by.invitationId)
    .returningAll()
    .executeTakeFirst();
}
