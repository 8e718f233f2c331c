import type { Kysely } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes, createTable, key, newTable, required } from "./columns.ts";

/** Rules by which the tokens of an operator's own sign-in provider are taken. */
export async function access(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint } = columnTypes(engine);
  await createTable(
    engine,
    newTable(db, "jwt_rules")
      .addColumn("id", text, key)
      .addColumn("project_id", text, (c) => c.notNull().references("projects.id"))
      .addColumn("issuer", text, required)
      .addColumn("audience", text, required)
      .addColumn("jwks_url", text, required)
      .addColumn("workspace_claim", text)
      .addColumn("algorithms", text, required)
      .addColumn("created_at", bigint, required),
  );
  await db.schema
    .createIndex("jwt_rules_once")
    .unique()
    .on("jwt_rules")
    .columns(["issuer", "audience"])
    .execute();
}
