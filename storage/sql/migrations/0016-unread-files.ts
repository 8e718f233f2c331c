import { sql, type Kysely } from "kysely";
import type { Engine } from "../database.ts";
import { columnTypes, createTable, key, newTable, required } from "./columns.ts";

/** Which attached files are still to be read. Triggers note each one that a message begins to speak of. */
export async function unreadFiles(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, int, bigint } = columnTypes(engine);
  await createTable(
    engine,
    newTable(db, "unread_files")
      .addColumn("file_id", text, (c) => key(c).references("files.id").onDelete("cascade"))
      .addColumn("due_at", bigint, required)
      .addColumn("tries", int, required),
  );
  await db.schema.createIndex("unread_files_due").on("unread_files").columns(["due_at", "file_id"]).execute();
  for (const statement of engine === "postgres" ? postgresTriggers : sqliteTriggers)
    await sql.raw(statement).execute(db);

  // What was attached before files were read by themselves.
  await sql`insert into unread_files (file_id, due_at, tries)
    select id, 0, 0 from files where blob_key is not null and blob_key not in (select blob_key from file_texts)
      and exists (select 1 from file_claims where file_id = files.id)`.execute(db);
}

const isRead = `exists (select 1 from files join file_texts on file_texts.blob_key = files.blob_key where files.id = new.file_id)`;
const isClaimed = `exists (select 1 from file_claims where file_id = new.id)`;
const noteClaimed = `insert into unread_files (file_id, due_at, tries) values (new.file_id, 0, 0) on conflict do nothing`;
// It was looked for before it came, perhaps, and is waited for.
const noteArrived = `insert into unread_files (file_id, due_at, tries) values (new.id, 0, 0)
  on conflict (file_id) do update set due_at = 0, tries = 0`;

const sqliteTriggers = [
  `create trigger unread_file_claimed after insert on file_claims when not ${isRead} begin
     ${noteClaimed};
   end`,
  `create trigger unread_file_arrived after update of blob_key on files
   when old.blob_key is null and new.blob_key is not null and ${isClaimed} begin
     ${noteArrived};
   end`,
];

const postgresTriggers = [
  `create function unread_file_claimed() returns trigger language plpgsql as $$
   begin
     if not ${isRead} then ${noteClaimed}; end if;
     return null;
   end $$`,
  `create function unread_file_arrived() returns trigger language plpgsql as $$
   begin
     if ${isClaimed} then ${noteArrived}; end if;
     return null;
   end $$`,
  `create trigger unread_file_claimed after insert on file_claims for each row execute function unread_file_claimed()`,
  `create trigger unread_file_arrived after update of blob_key on files for each row
   when (old.blob_key is null and new.blob_key is not null) execute function unread_file_arrived()`,
];
