import type { Database, Tx } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import { sql } from "#storage/database/sql.ts";
import type { Row } from "#storage/database/tables.ts";

/** The SQL of rendered messages. */

export type RenderedRow = Row<"rendered_messages">;

type Key = { shareId: string; language: string; build: string };

export async function findRendered(
  db: Database,
  key: Key,
  messageIds: readonly string[],
): Promise<Pick<RenderedRow, "message_id" | "version" | "html">[]> {
  return await selectRendered(db, key, messageIds).select(["message_id", "version", "html"]).execute();
}

export async function listVersions(
  db: Database,
  key: Key,
  messageIds: readonly string[],
): Promise<Pick<RenderedRow, "message_id" | "version">[]> {
  return await selectRendered(db, key, messageIds).select(["message_id", "version"]).execute();
}

function selectRendered(db: Database, { shareId, language, build }: Key, messageIds: readonly string[]) {
  return db.readWorker
    .selectFrom("rendered_messages")
    .where("share_id", "=", shareId)
    .where("language", "=", language)
    .where("build", "=", build)
    .where("message_id", "in", idsOf(db, messageIds));
}

/** Stores a row unless its link or its message is gone. */
export async function putRendered(tx: Tx, row: RenderedRow): Promise<void> {
  const values = [row.share_id, row.message_id, row.language, row.build, row.version];
  await sql`
    insert into rendered_messages (share_id, message_id, language, build, version, html, size_bytes, rendered_at)
    select ${sql.join(values.map((value) => sql`cast(${value} as text)`))}, ${row.html},
      cast(${row.size_bytes} as integer), cast(${row.rendered_at} as bigint)
    where exists (select 1 from shares where id = ${row.share_id})
      and exists (select 1 from messages where id = ${row.message_id})
    on conflict (share_id, message_id, language) do update set
      build = excluded.build, version = excluded.version, html = excluded.html,
      size_bytes = excluded.size_bytes, rendered_at = excluded.rendered_at
  `.execute(tx.q);
}

/** Deletes the oldest rows, so that the others have at most `bytesMax`. */
export async function deleteOldest(tx: Tx, bytesMax: number): Promise<void> {
  await sql`
    delete from rendered_messages where (share_id, message_id, language) in (
      select share_id, message_id, language from (
        select share_id, message_id, language,
          sum(size_bytes) over (order by rendered_at desc, share_id, message_id, language) as total
        from rendered_messages
      ) as sized where total > ${bytesMax}
    )
  `.execute(tx.q);
}
