import { sql, type Kysely } from "kysely";
import type { Engine } from "../../lib/engine.ts";
import { sqlTypes } from "../sql-types.ts";

/**
 * Adds the providers that the owner adds and their keys. The ids of models begin with their provider from now on. Before,
 * there was one provider, that of the environment.
 */
export async function modelProviders(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, strict } = sqlTypes(engine);
  await sql`create table model_providers (
    id ${text} not null primary key,
    kind ${text} not null,
    name ${text} not null,
    base_url ${text} not null,
    has_key ${int} not null,
    models ${text},
    default_model ${text},
    position ${int} not null,
    version ${int} not null,
    created_at ${bigint} not null,
    updated_at ${bigint} not null
  ) ${strict}`.execute(db);
  await sql`create table model_provider_keys (
    provider_id ${text} not null primary key references model_providers (id) on delete cascade,
    ciphertext ${text} not null,
    key_id ${text} not null,
    last_four ${text} not null
  ) ${strict}`.execute(db);
  for (const table of ["assistants", "threads", "queued_messages"])
    await sql`update ${sql.table(table)} set model = 'env/' || model where model <> 'builtin'`.execute(db);
  // Other applications report their runs.
  await sql`update runs set model = 'env/' || model where model <> 'builtin' and origin <> 'reported'`.execute(
    db,
  );
}
