import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openWebUiChat } from "./chat-products.ts";

/** The tables of Open WebUI's database, with the columns of its own migrations. */
const schema = `
  pragma journal_mode = wal;
  create table "user" (id varchar(255) primary key, name varchar(255), email varchar(255), role varchar(255),
    profile_image_url text, api_key varchar(255), settings json, info json, oauth_sub text,
    last_active_at bigint, updated_at bigint, created_at bigint);
  create table auth (id varchar(255) primary key, email varchar(255), password text, active boolean);
  create table chat (id varchar(255) primary key, user_id varchar(255), title text, chat json, created_at bigint,
    updated_at bigint, share_id text, archived boolean, pinned boolean, meta json, folder_id text);
  create table chat_message (id text primary key, chat_id text not null references chat(id) on delete cascade,
    user_id text, role text not null, parent_id text, content json, output json, model_id text, files json,
    sources json, embeds json, meta json, done boolean, status_history json, error json, usage json,
    context_summary text, created_at bigint, updated_at bigint);
  create table folder (id text primary key, parent_id text, user_id text, name text, items json, meta json,
    is_expanded boolean, created_at bigint, updated_at bigint);
  create table tag (id varchar(255), name varchar(255), user_id varchar(255), meta json, primary key (id, user_id));
  create table prompt (command varchar(255) primary key, user_id varchar(255), title text, content text,
    timestamp bigint, access_control json);
  create table model (id text primary key, user_id text, base_model_id text, name text, params text, meta text,
    access_control json, is_active boolean, updated_at bigint, created_at bigint);
  create table "group" (id text primary key, user_id text, name text, description text, data json, meta json,
    permissions json, user_ids json, created_at bigint, updated_at bigint);
  create table memory (id varchar(255) primary key, user_id varchar(255), content text, updated_at bigint,
    created_at bigint);`;

type Values = Record<string, string | number | null>;

export type WebUi = {
  insert(table: string, row: Values): void;
  /** A person with an account. */
  person(id: string, name: string, email: string): void;
  /** A chat as its JSON export has it. */
  chat(userId: string, id: string, more?: object): void;
  /** Other SQL, for databases that are not as they should be. */
  run(sql: string): void;
};

const second = 1_760_000_000;

/** The bytes of a database that `fill` has written. */
export async function webUiDatabase(fill: (database: WebUi) => void): Promise<Buffer> {
  const path = join(tmpdir(), `webui-${Math.random().toString(36).slice(2)}.db`);
  writeWebUi(path, fill);
  try {
    return await readFile(path);
  } finally {
    await rm(path, { force: true });
  }
}

/** Writes a database to `path`. */
export function writeWebUi(path: string, fill: (database: WebUi) => void): void {
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  db.exec(schema);
  const insert = (table: string, row: Values) => {
    const names = Object.keys(row);
    const marks = names.map(() => "?").join(", ");
    db.prepare(`insert into "${table}" (${names.join(", ")}) values (${marks})`).run(...Object.values(row));
  };
  db.exec("begin");
  fill({
    insert,
    run: (sql) => db.exec(sql),
    person(id, name, email) {
      insert("user", { id, name, email, role: "user", created_at: second });
      insert("auth", { id, email, password: "$2b$12$a-hash-that-must-not-come-along", active: 1 });
    },
    chat(userId, id, more = {}) {
      const { chat, meta, archived, pinned, ...row } = { ...openWebUiChat(id), ...more };
      insert("chat", {
        ...(row as Values),
        user_id: userId,
        chat: JSON.stringify(chat),
        meta: JSON.stringify(meta),
        archived: archived ? 1 : 0,
        pinned: pinned ? 1 : 0,
      });
    },
  });
  db.exec("commit");
  // As when the program ends: everything is in the file itself.
  db.exec("pragma wal_checkpoint(truncate)");
  db.close();
}
