import { sql, type RawBuilder } from "kysely";
import type { Engine } from "../../lib/engine.ts";
import { sqlTypes } from "../sql-types.ts";

/** Attached files, their bytes and text, and the triggers that keep track of which messages mention them. */
export function files(engine: Engine): RawBuilder<unknown>[] {
  const { text, bigint, int, strict, clustered } = sqlTypes(engine);
  return [
    sql`create table blobs (
      key ${text} not null primary key,
      workspace_id ${text} not null,
      sha256 ${text} not null,
      size_bytes ${bigint} not null,
      thumbnail_key ${text},
      created_at ${bigint} not null
    ) ${strict}`,
    sql`create index blobs_by_hash on blobs (workspace_id, sha256)`,

    sql`create table files (
      id ${text} not null primary key,
      project_id ${text} not null references projects (id),
      workspace_id ${text} not null references workspaces (id),
      created_by ${text} not null,
      name ${text} not null,
      secret ${text} not null,
      declared_type ${text},
      declared_bytes ${bigint},
      type ${text},
      size_bytes ${bigint},
      -- No cascade: a blob cannot be deleted while a file has it.
      blob_key ${text} references blobs (key),
      created_at ${bigint} not null,
      stored_at ${bigint},
      claimed_at ${bigint},
      released_at ${bigint}
    ) ${strict}`,
    sql`create index files_of_person on files (workspace_id, created_by, created_at, id)`,
    sql`create index files_by_creator on files (project_id, created_by)`,
    sql`create index files_by_blob on files (blob_key)`,
    sql`create index files_by_age on files (created_at)`,

    sql`create table file_claims (
      file_id ${text} not null references files (id) on delete cascade,
      message_id ${text} not null,
      thread_id ${text} not null references threads (id) on delete cascade,
      constraint file_claims_key primary key (file_id, message_id)
    ) ${clustered}`,
    sql`create index file_claims_of_message on file_claims (message_id)`,
    sql`create index file_claims_of_thread on file_claims (thread_id)`,

    sql`create table file_texts (
      blob_key ${text} not null primary key references blobs (key) on delete cascade,
      reader ${int} not null,
      reason ${text},
      text ${text} not null,
      is_cut ${int} not null,
      pages ${int},
      created_at ${bigint} not null
    ) ${strict}`,

    sql`create table unread_files (
      file_id ${text} not null primary key references files (id) on delete cascade,
      due_at ${bigint} not null,
      tries ${int} not null
    ) ${strict}`,
    sql`create index unread_files_due on unread_files (due_at, file_id)`,

    sql`create table blob_removals (
      key ${text} not null primary key,
      due_at ${bigint} not null
    ) ${strict}`,
    sql`create index blob_removals_due on blob_removals (due_at)`,

    ...(engine === "postgres" ? postgresTriggers : sqliteTriggers).map((statement) => sql.raw(statement)),
  ];
}

// Deleting a message removes its claims. Sending a queued message deletes the queued row and inserts a message with the
// same id and the same claims, which must stay.
const isLastHolder = "not exists (select 1 from messages where id = old.id)";

// A file whose text is not read yet is put on the list of unread files: when a message begins to mention it, and when
// the bytes of a mentioned file arrive. The second resets the time and the tries, because earlier tries found no bytes.
const hasText = `exists (select 1 from files join file_texts on file_texts.blob_key = files.blob_key where files.id = new.file_id)`;
const isClaimed = `exists (select 1 from file_claims where file_id = new.id)`;
const addClaimed = `insert into unread_files (file_id, due_at, tries) values (new.file_id, 0, 0) on conflict do nothing`;
const addArrived = `insert into unread_files (file_id, due_at, tries) values (new.id, 0, 0)
  on conflict (file_id) do update set due_at = 0, tries = 0`;

const sqliteTriggers = [
  `create trigger file_claims_of_messages_gone after delete on messages begin
     delete from file_claims where message_id = old.id;
   end`,
  `create trigger file_claims_of_queued_gone after delete on queued_messages begin
     delete from file_claims where message_id = old.id and ${isLastHolder};
   end`,
  `create trigger unread_file_claimed after insert on file_claims when not ${hasText} begin
     ${addClaimed};
   end`,
  `create trigger unread_file_arrived after update of blob_key on files
   when old.blob_key is null and new.blob_key is not null and ${isClaimed} begin
     ${addArrived};
   end`,
];

const postgresTriggers = [
  `create function file_claims_gone() returns trigger language plpgsql as $$ begin
     delete from file_claims where message_id = old.id and ${isLastHolder};
     return null;
   end $$`,
  ...["messages", "queued_messages"].map(
    (table) =>
      `create trigger file_claims_of_${table}_gone after delete on ${table} for each row execute function file_claims_gone()`,
  ),
  `create function unread_file_claimed() returns trigger language plpgsql as $$
   begin
     if not ${hasText} then ${addClaimed}; end if;
     return null;
   end $$`,
  `create trigger unread_file_claimed after insert on file_claims for each row execute function unread_file_claimed()`,
  `create function unread_file_arrived() returns trigger language plpgsql as $$
   begin
     if ${isClaimed} then ${addArrived}; end if;
     return null;
   end $$`,
  `create trigger unread_file_arrived after update of blob_key on files for each row
   when (old.blob_key is null and new.blob_key is not null) execute function unread_file_arrived()`,
];
