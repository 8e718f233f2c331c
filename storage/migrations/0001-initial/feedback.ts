import { sql, type RawBuilder } from "kysely";
import type { Engine } from "../../lib/engine.ts";
import { sqlTypes } from "../sql-types.ts";

/** Scores and usage events. */
export function feedback(engine: Engine): RawBuilder<unknown>[] {
  const { text, bigint, real, strict } = sqlTypes(engine);
  return [
    sql`create table scores (
      id ${text} not null primary key,
      project_id ${text} not null references projects (id),
      workspace_id ${text} not null references workspaces (id) on delete cascade,
      author_id ${text} not null,
      source ${text} not null,
      name ${text} not null,
      data_type ${text} not null,
      value ${real},
      string_value ${text},
      comment ${text},
      target ${text} not null,
      -- No foreign keys: a score outlives what it is about.
      thread_id ${text},
      message_id ${text},
      run_id ${text},
      created_at ${bigint} not null,
      updated_at ${bigint} not null
    ) ${strict}`,
    sql`create unique index scores_once on scores (target, name, author_id)`,
    sql`create index scores_of_project on scores (project_id, created_at, id)`,
    sql`create index scores_of_workspace on scores (workspace_id)`,
    sql`create index scores_of_thread on scores (thread_id)`,
    sql`create index scores_of_run on scores (run_id)`,
    sql`create index scores_of_author on scores (project_id, author_id)`,

    sql`create table events (
      id ${text} not null primary key,
      project_id ${text} not null references projects (id),
      workspace_id ${text} not null references workspaces (id) on delete cascade,
      user_id ${text} not null,
      kind ${text} not null,
      thread_id ${text},
      message_id ${text},
      run_id ${text},
      value ${bigint},
      props ${text},
      created_at ${bigint} not null
    ) ${strict}`,
    sql`create index events_of_user on events (project_id, user_id, created_at)`,
    sql`create index events_of_workspace on events (workspace_id)`,
    sql`create index events_of_thread on events (thread_id)`,
    sql`create index events_by_age on events (created_at)`,
  ];
}
