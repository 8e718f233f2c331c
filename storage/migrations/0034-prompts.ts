import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds prompts that people keep. Those without a user are shared with everybody of the project. */
export async function prompts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, strict } = sqlTypes(engine);
  await sql`create table prompts (
    id ${text} not null primary key,
    project_id ${text} not null references projects (id) on delete cascade,
    user_id ${text} references users (id) on delete cascade,
    title ${text} not null,
    text ${text} not null,
    created_at ${bigint} not null,
    updated_at ${bigint} not null
  ) ${strict}`.execute(db);
  await sql`create index prompts_by_user on prompts (project_id, user_id)`.execute(db);
}
