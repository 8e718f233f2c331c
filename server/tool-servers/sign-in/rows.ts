import type { SealedSecret } from "#server/sign-in/secret-vault.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { forUpdate } from "#storage/database/portable-sql.ts";
import type { Kysely } from "#storage/database/sql.ts";
import type { NewRow, Row, RowChange, Tables } from "#storage/database/tables.ts";

/** The SQL of people's sign-ins to tool servers, and of those that have begun. */

export type SignInRow = Row<"tool_server_sign_ins">;
type SignInKey = Pick<SignInRow, "server_id" | "user_id">;

export async function findSignIn(
  q: Kysely<Tables>,
  { server_id, user_id }: SignInKey,
): Promise<SignInRow | undefined> {
  return await q
    .selectFrom("tool_server_sign_ins")
    .selectAll()
    .where("server_id", "=", server_id)
    .where("user_id", "=", user_id)
    .executeTakeFirst();
}

/** The same, and no other transaction changes it until this one ends. */
export async function lockSignIn(tx: Tx, { server_id, user_id }: SignInKey): Promise<SignInRow | undefined> {
  return await forUpdate(
    tx,
    tx.q
      .selectFrom("tool_server_sign_ins")
      .selectAll()
      .where("server_id", "=", server_id)
      .where("user_id", "=", user_id),
  ).executeTakeFirst();
}

/** The servers that this person is signed in to, and whether that has expired. */
export async function listSignInsOf(
  q: Kysely<Tables>,
  userId: string,
): Promise<Pick<SignInRow, "server_id" | "is_expired">[]> {
  return await q
    .selectFrom("tool_server_sign_ins")
    .select(["server_id", "is_expired"])
    .where("user_id", "=", userId)
    .execute();
}

export async function putSignIn(tx: Tx, row: NewRow<"tool_server_sign_ins">): Promise<void> {
  const { server_id: _, user_id: __, ...values } = row;
  await tx.q
    .insertInto("tool_server_sign_ins")
    .values(row)
    .onConflict((conflict) => conflict.columns(["server_id", "user_id"]).doUpdateSet(values))
    .execute();
}

export async function updateSignIn(
  tx: Tx,
  { server_id, user_id }: SignInKey,
  change: RowChange<"tool_server_sign_ins">,
): Promise<void> {
  await tx.q
    .updateTable("tool_server_sign_ins")
    .set(change)
    .where("server_id", "=", server_id)
    .where("user_id", "=", user_id)
    .execute();
}

/** Returns whether there was one. */
export async function deleteSignIn(tx: Tx, { server_id, user_id }: SignInKey): Promise<boolean> {
  const { numDeletedRows } = await tx.q
    .deleteFrom("tool_server_sign_ins")
    .where("server_id", "=", server_id)
    .where("user_id", "=", user_id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends the sign-ins of all people to a server, and those that have begun. */
export async function deleteSignInsTo(tx: Tx, serverId: string): Promise<void> {
  await tx.q.deleteFrom("tool_server_sign_ins").where("server_id", "=", serverId).execute();
  await tx.q.deleteFrom("tool_server_flows").where("server_id", "=", serverId).execute();
}

export type FlowRow = Row<"tool_server_flows">;

export async function insertFlow(tx: Tx, row: FlowRow, nowMs: number): Promise<void> {
  await tx.q.deleteFrom("tool_server_flows").where("expires_at", "<=", nowMs).execute();
  await tx.q.insertInto("tool_server_flows").values(row).execute();
}

/** Takes the flow away, so that it is used once. `undefined` if there is none, it is another person's, or it has expired. */
export async function takeFlow(
  db: Database,
  flowHash: string,
  userId: string,
  nowMs: number,
): Promise<FlowRow | undefined> {
  return await db.write(async (tx) => {
    const found = await tx.q
      .deleteFrom("tool_server_flows")
      .where("flow_hash", "=", flowHash)
      .where("user_id", "=", userId)
      .returningAll()
      .executeTakeFirst();
    return found !== undefined && found.expires_at > nowMs ? found : undefined;
  });
}

/** All sign-ins, with what their encryption depends on. */
export async function listSignIns(
  q: Kysely<Tables>,
): Promise<(SignInRow & { server: { id: string; url: string } })[]> {
  const found = await q
    .selectFrom("tool_server_sign_ins")
    .innerJoin("tool_servers", "id", "server_id")
    .selectAll("tool_server_sign_ins")
    .select("url")
    .execute();
  return found.map(({ url, ...row }) => ({ ...row, server: { id: row.server_id, url } }));
}

export async function reseal(tx: Tx, key: SignInKey, { ciphertext, keyId }: SealedSecret): Promise<void> {
  await updateSignIn(tx, key, { ciphertext, key_id: keyId });
}
