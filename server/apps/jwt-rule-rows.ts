import type { Database, Tx } from "#storage/database/database.ts";
import type { NewRow, Row } from "#storage/database/tables.ts";
import { publishCredentialChange } from "#server/sign-in/credential-watch.ts";

/** The SQL of JWT rules. Deleting a rule also notifies the open streams that depend on it. */

export async function insertRule(tx: Tx, rule: NewRow<"jwt_rules">): Promise<void> {
  await tx.q.insertInto("jwt_rules").values(rule).execute();
}

/** All rules, or those of an app, oldest first. */
export async function listRules(db: Database, appId?: string): Promise<Row<"jwt_rules">[]> {
  const query = db.read.selectFrom("jwt_rules").selectAll().orderBy("created_at").orderBy("id");
  return await (appId === undefined ? query : query.where("app_id", "=", appId)).execute();
}

export async function findRule(tx: Tx, id: string): Promise<Row<"jwt_rules"> | undefined> {
  return await tx.q.selectFrom("jwt_rules").selectAll().where("id", "=", id).executeTakeFirst();
}

/** The rules for this issuer, oldest first. */
export async function findRules(db: Database, issuer: string): Promise<Row<"jwt_rules">[]> {
  return await db.read
    .selectFrom("jwt_rules")
    .selectAll()
    .where("issuer", "=", issuer)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
}

export async function ruleExists(db: Database, id: string): Promise<boolean> {
  const row = await db.read.selectFrom("jwt_rules").select("id").where("id", "=", id).executeTakeFirst();
  return row !== undefined;
}

export async function deleteRule(tx: Tx, id: string): Promise<void> {
  await tx.q.deleteFrom("jwt_rules").where("id", "=", id).execute();
  publishCredentialChange(tx, id);
}
