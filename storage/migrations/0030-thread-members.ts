import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/** Adds the people and groups that a thread is shared with, and finds the requests of a person in every thread. */
export async function threadMembers(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, clustered } = sqlTypes(engine);
  const statements = [
    sql`create table thread_members (
      thread_id ${text} not null references threads (id) on delete cascade,
      member_id ${text} not null,
      user_id ${text} references users (id) on delete cascade,
      group_id ${text} references user_groups (id) on delete cascade,
      access ${text} not null,
      added_at ${bigint} not null,
      primary key (thread_id, member_id)
    ) ${clustered}`,
    sql`create index thread_members_by_user on thread_members (user_id)`,
    sql`create index thread_members_by_group on thread_members (group_id)`,
    sql`create index model_requests_of_person on model_requests (user_id, sent_at)`,
  ];
  for (const statement of statements) await statement.execute(db);
}
