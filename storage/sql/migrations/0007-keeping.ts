import { sql, type Kysely, type SqlBool } from "kysely";

/** What the sweeps and the caps look for, so that neither reads a whole table. */
export async function keeping(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex("sessions_by_end").on("sessions").column("expires_at").execute();
  await db.schema
    .createIndex("sessions_revoked")
    .on("sessions")
    .column("revoked_at")
    .where(sql<SqlBool>`revoked_at is not null`)
    .execute();
  await db.schema.createIndex("events_by_age").on("events").column("created_at").execute();
  await db.schema.createIndex("events_of_workspace").on("events").column("workspace_id").execute();
  await db.schema.createIndex("scores_of_workspace").on("scores").column("workspace_id").execute();
  await db.schema
    .createIndex("runs_alive_of_workspace")
    .on("runs")
    .columns(["workspace_id", "user_id"])
    .where(sql<SqlBool>`ended_at is null`)
    .execute();
}
