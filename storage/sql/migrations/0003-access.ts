import { sql, type Kysely } from "kysely";
import type { Engine } from "../database.ts";

/** Rules by which the tokens of an operator's own sign-in provider are taken. */
export async function access(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const onPostgres = engine === "postgres";
  const text = onPostgres ? sql`text collate "C"` : sql`text`;
  const bigint = onPostgres ? sql`bigint` : sql`integer`;

  let rules = db.schema
    .createTable("jwt_rules")
    .addColumn("id", text, (c) => c.notNull().primaryKey())
    .addColumn("project_id", text, (c) => c.notNull().references("projects.id"))
    .addColumn("issuer", text, (c) => c.notNull())
    .addColumn("audience", text, (c) => c.notNull())
    .addColumn("jwks_url", text, (c) => c.notNull())
    .addColumn("workspace_claim", text)
    .addColumn("algorithms", text, (c) => c.notNull())
    .addColumn("created_at", bigint, (c) => c.notNull());
  if (!onPostgres) rules = rules.modifyEnd(sql`strict`);
  await rules.execute();
  await db.schema
    .createIndex("jwt_rules_once")
    .unique()
    .on("jwt_rules")
    .columns(["issuer", "audience"])
    .execute();
}
