import type { Tx } from "#storage/database/database.ts";
import { sql, type Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";

/** The SQL of tool servers and of their secrets. */

export type ToolServerRow = Row<"tool_servers"> & { ciphertext: string | null; key_id: string | null };

const withSecret = (q: Kysely<Tables>) =>
  q
    .selectFrom("tool_servers")
    .leftJoin("tool_server_secrets", "server_id", "id")
    .selectAll("tool_servers")
    .select(["ciphertext", "key_id"]);

/** The shared servers and those of this person, by name. */
export async function listServers(q: Kysely<Tables>, userId: string): Promise<ToolServerRow[]> {
  return await withSecret(q)
    .where((is) => is.or([is("user_id", "=", userId), is("user_id", "is", null)]))
    .orderBy("name")
    .orderBy("id")
    .execute();
}

/** Those that have a secret, of everybody. */
export async function listSecretServers(q: Kysely<Tables>): Promise<ToolServerRow[]> {
  return await withSecret(q).where("ciphertext", "is not", null).execute();
}

export async function findServer(q: Kysely<Tables>, id: string): Promise<ToolServerRow | undefined> {
  return await withSecret(q).where("id", "=", id).executeTakeFirst();
}

/** How many this person has, or how many are shared (null). */
export async function countServers(tx: Tx, userId: string | null): Promise<number> {
  const { count } = await tx.q
    .selectFrom("tool_servers")
    .select((select) => select.fn.countAll().as("count"))
    .where(userId === null ? sql<boolean>`user_id is null` : sql<boolean>`user_id = ${userId}`)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function isPrefixTaken(tx: Tx, prefix: string): Promise<boolean> {
  const query = tx.q.selectFrom("tool_servers").select("id").where("tool_prefix", "=", prefix);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Throws if another server has the id or the prefix: `writeOnce` then looks again. */
export async function insertServer(tx: Tx, row: NewRow<"tool_servers">): Promise<void> {
  await tx.q.insertInto("tool_servers").values(row).execute();
}

export async function updateServer(tx: Tx, id: string, change: RowChange<"tool_servers">): Promise<void> {
  await tx.q.updateTable("tool_servers").set(change).where("id", "=", id).execute();
}

/** With its secret and all sign-ins, by foreign keys. */
export async function deleteServer(tx: Tx, id: string): Promise<void> {
  await tx.q.deleteFrom("tool_server_lists").where("server_id", "=", id).execute();
  await tx.q.deleteFrom("tool_servers").where("id", "=", id).execute();
}

export async function putSecret(tx: Tx, row: NewRow<"tool_server_secrets">): Promise<void> {
  const { ciphertext, key_id } = row;
  await tx.q
    .insertInto("tool_server_secrets")
    .values(row)
    .onConflict((conflict) => conflict.column("server_id").doUpdateSet({ ciphertext, key_id }))
    .execute();
}

export async function deleteSecret(tx: Tx, serverId: string): Promise<void> {
  await tx.q.deleteFrom("tool_server_secrets").where("server_id", "=", serverId).execute();
}

/** What was listed for these servers: for this person, and for everybody. */
export async function readLists(q: Kysely<Tables>, userId: string): Promise<Row<"tool_server_lists">[]> {
  return await q.selectFrom("tool_server_lists").selectAll().where("user_id", "in", [userId, ""]).execute();
}

export async function putList(tx: Tx, row: Row<"tool_server_lists">): Promise<void> {
  const { tools, listed_at } = row;
  await tx.q
    .insertInto("tool_server_lists")
    .values(row)
    .onConflict((conflict) => conflict.columns(["server_id", "user_id"]).doUpdateSet({ tools, listed_at }))
    .execute();
}

/** What a server offered: to this person, or to anybody. */
export async function deleteLists(tx: Tx, serverId: string, userId?: string): Promise<void> {
  let query = tx.q.deleteFrom("tool_server_lists").where("server_id", "=", serverId);
  if (userId !== undefined) query = query.where("user_id", "=", userId);
  await query.execute();
}
