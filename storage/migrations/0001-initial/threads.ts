import { sql, type RawBuilder } from "kysely";
import type { Engine } from "../../lib/engine.ts";
import { sqlTypes } from "../sql-types.ts";

/** Assistants, threads and their messages, sent and queued. */
export function threads(engine: Engine): RawBuilder<unknown>[] {
  const { text, bigint, int, strict, clustered } = sqlTypes(engine);
  return [
    sql`create table assistants (
      project_id ${text} not null references projects (id),
      id ${text} not null,
      name ${text} not null,
      avatar ${text} not null,
      instructions ${text} not null,
      model ${text},
      tools ${text},
      starters ${text} not null,
      parameters ${text} not null,
      position ${int} not null,
      request_hash ${text},
      created_at ${bigint} not null,
      updated_at ${bigint} not null,
      deleted_at ${bigint},
      constraint assistants_key primary key (project_id, id)
    ) ${strict}`,

    sql`create table threads (
      id ${text} not null primary key,
      project_id ${text} not null references projects (id),
      workspace_id ${text} not null references workspaces (id) on delete cascade,
      external_id ${text},
      title ${text},
      title_source ${text},
      last_message_at ${bigint} not null,
      metadata ${text},
      archived ${int} not null,
      pinned ${int} not null,
      assistant_id ${text},
      model ${text},
      request_hash ${text},
      created_at ${bigint} not null,
      updated_at ${bigint} not null,
      deleted_at ${bigint},
      created_by ${text},
      allowed_tools ${text}
    ) ${strict}`,
    sql`create index threads_listed on threads (workspace_id, archived, last_message_at desc, id desc)
      where deleted_at is null`,
    // Pinned threads are read separately, however old they are.
    sql`create index threads_pinned on threads (workspace_id, archived, last_message_at desc, id desc)
      where pinned = 1 and deleted_at is null`,
    // A backend lists the threads of all workspaces.
    sql`create index threads_of_project on threads (project_id, archived, last_message_at desc, id desc)
      where deleted_at is null`,
    // Not partial: deleting or claiming a workspace looks up its threads by this index too.
    sql`create index threads_by_external_id on threads (workspace_id, external_id)`,
    sql`create index threads_by_creator on threads (project_id, created_by)`,
    sql`create index threads_in_trash on threads (deleted_at, id) where deleted_at is not null`,

    sql`create table messages (
      id ${text} not null primary key,
      thread_id ${text} not null references threads (id) on delete cascade,
      external_id ${text},
      parent_id ${text},
      height ${int} not null,
      role ${text} not null,
      format ${text} not null,
      content ${text} not null,
      plain_text ${text} not null,
      status ${text} not null,
      status_reason ${text},
      error_code ${text},
      run_id ${text},
      created_at ${bigint} not null,
      updated_at ${bigint} not null,
      created_by ${text},
      made_by ${text},
      constraint messages_in_thread unique (thread_id, id),
      -- A parent belongs to the same thread. No cascade, because SQLite stops a cascade after 1,000 levels: a statement
      -- that deletes a message names all its descendants, and this constraint checks that none is left out.
      constraint messages_parent foreign key (thread_id, parent_id) references messages (thread_id, id)
    ) ${strict}`,
    sql`create index messages_listed on messages (thread_id, height desc, created_at desc, id desc)`,
    sql`create index messages_by_parent on messages (thread_id, parent_id)`,
    sql`create unique index messages_by_external_id on messages (thread_id, external_id)
      where external_id is not null`,
    sql`create index messages_by_creator on messages (created_by, thread_id)`,

    sql`create table branch_heads (
      thread_id ${text} not null references threads (id) on delete cascade,
      user_id ${text} not null,
      message_id ${text} not null,
      updated_at ${bigint} not null,
      constraint branch_heads_key primary key (thread_id, user_id),
      constraint branch_heads_message foreign key (thread_id, message_id)
        references messages (thread_id, id) on delete cascade
    ) ${clustered}`,

    sql`create table queued_messages (
      id ${text} not null primary key,
      thread_id ${text} not null references threads (id) on delete cascade,
      parent_id ${text} not null,
      position ${bigint} not null,
      content ${text} not null,
      model ${text} not null,
      run_id ${text} not null unique,
      reply_id ${text} not null unique,
      request_hash ${text} not null,
      created_by ${text} not null,
      created_at ${bigint} not null,
      updated_at ${bigint} not null,
      removed_at ${bigint},
      assistant_id ${text} default 'default' not null,
      time_zone ${text},
      -- Deleting a message also deletes what was queued below it.
      constraint queued_messages_parent foreign key (thread_id, parent_id)
        references messages (thread_id, id) on delete cascade
    ) ${strict}`,
    sql`create unique index queued_messages_in_order on queued_messages (thread_id, position)`,
    sql`create index queued_messages_by_parent on queued_messages (thread_id, parent_id)`,
    sql`create index queued_messages_by_creator on queued_messages (created_by, thread_id)`,
    sql`create index queued_messages_removed on queued_messages (removed_at)`,

    sql`create table gone_messages (
      thread_id ${text} not null references threads (id) on delete cascade,
      id ${text} not null,
      height ${int} not null,
      created_at ${bigint} not null,
      gone_at ${bigint} not null,
      constraint gone_messages_key primary key (thread_id, id)
    ) ${clustered}`,
    sql`create index gone_messages_by_age on gone_messages (gone_at)`,

    sql`create table list_bookmarks (
      list ${text} not null,
      id ${text} not null,
      position ${bigint} not null,
      served_at ${bigint} not null,
      constraint list_bookmarks_key primary key (list, id)
    ) ${clustered}`,
    sql`create index list_bookmarks_by_age on list_bookmarks (served_at)`,
  ];
}
