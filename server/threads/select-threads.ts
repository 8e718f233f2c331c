import { sql, type Kysely } from "#storage/database/sql.ts";
import type { Tables } from "#storage/database/tables.ts";

const sharedMember = sql`(
  select thread_members.member_id from thread_members where thread_members.thread_id = threads.id limit 1
)`;

/** Threads with what their responses have of other tables: a `ThreadRow` each. */
export function selectThreads(q: Kysely<Tables>) {
  return q
    .selectFrom("threads")
    .innerJoin("workspaces", "workspaces.id", "threads.workspace_id")
    .selectAll("threads")
    .select("workspaces.name as workspace_name")
    .select((expression) =>
      expression
        .selectFrom("runs")
        .select("runs.id")
        .whereRef("runs.thread_id", "=", "threads.id")
        .where("runs.origin", "=", "own")
        .where("runs.ended_at", "is", null)
        // `+ 0` keeps SQLite from the index on `created_at`, where it would scan all runs of the thread.
        .orderBy(sql`runs.created_at + 0`, "desc")
        .limit(1)
        .as("active_run_id"),
    )
    .select((expression) =>
      expression
        .selectFrom("runs")
        .select("runs.id")
        .whereRef("runs.thread_id", "=", "threads.id")
        .where("runs.ended_at", "is", null)
        .where("runs.state", "=", "requires-action")
        .limit(1)
        .as("waiting_run_id"),
    )
    .select((expression) =>
      expression
        .selectFrom("labels")
        .select("labels.name")
        .whereRef("labels.id", "=", "threads.folder_id")
        .as("folder_name"),
    )
    .select(
      sql<string | null>`(
        select string_agg(labels.id || ' ' || labels.name, cast(${"\n"} as text) order by labels.name_key)
        from thread_tags inner join labels on labels.id = thread_tags.label_id
        where thread_tags.thread_id = threads.id
      )`.as("tag_list"),
    )
    .select(sql<number>`case when ${sharedMember} is null then 0 else 1 end`.as("is_shared"))
    .select(
      sql<string | null>`case when ${sharedMember} is not null then (
        select coalesce(users.name, users.email) from users where users.id = workspaces.name
      ) end`.as("owner_name"),
    );
}
