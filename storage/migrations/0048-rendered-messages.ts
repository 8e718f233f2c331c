import { sql, type Kysely } from "kysely";
import type { Engine } from "../lib/engine.ts";
import { sqlTypes } from "./sql-types.ts";

/**
 * Adds the HTML of messages on the pages of links, which a server keeps so that it renders a message once. It goes with the
 * message and the link. A trigger deletes it when the content changes, also if a server of the version before changes it.
 */
export async function renderedMessages(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, bigint, int, bytes, strict } = sqlTypes(engine);
  await sql`create table rendered_messages (
    share_id ${text} not null references shares (id) on delete cascade,
    message_id ${text} not null references messages (id) on delete cascade,
    language ${text} not null,
    build ${text} not null,
    version ${text} not null,
    html ${bytes} not null,
    size_bytes ${int} not null,
    rendered_at ${bigint} not null,
    primary key (share_id, message_id, language)
  ) ${strict}`.execute(db);
  await sql`create index rendered_messages_by_message on rendered_messages (message_id)`.execute(db);
  await sql`create index rendered_messages_by_time on rendered_messages (rendered_at, size_bytes)`.execute(
    db,
  );
  for (const statement of triggers[engine]) await sql.raw(statement).execute(db);
}

const removal = "delete from rendered_messages where message_id = old.id";

const triggers: Record<Engine, string[]> = {
  sqlite: [
    `create trigger rendered_messages_of_changed after update of content, plain_text on messages
     begin ${removal}; end`,
  ],
  postgres: [
    `create function rendered_messages_of_changed() returns trigger language plpgsql as $$
     begin ${removal}; return null; end $$`,
    `create trigger rendered_messages_of_changed after update of content, plain_text on messages
     for each row execute function rendered_messages_of_changed()`,
  ],
};
