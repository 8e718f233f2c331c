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

/** Stores a row unless its link or its message is gone, or the message was changed after it was read for the rendering. */
export async function putRendered(tx: Tx, row: RenderedRow, updatedAt: number): Promise<void> {
  const values = [row.share_id, row.message_id, row.language, row.build, row.version];
  await sql`
    insert into rendered_messages (share_id, message_id, language, build, version, html, size_bytes, rendered_at)
    select ${sql.join(values.map((value) => sql`cast(${value} as text)`))}, ${row.html},
      cast(${row.size_bytes} as integer), cast(${row.rendered_at} as bigint)
    where exists (select 1 from shares where id = ${row.share_id})
      and exists (select 1 from messages where id = ${row.message_id} and updated_at = ${updatedAt})
    on conflict (share_id, message_id, language) do update set
      build = excluded.build, version = excluded.version, html = excluded.html,
      size_bytes = excluded.size_bytes, rendered_at = excluded.rendered_at
  `.execute(tx.q);
}

/** Deletes at most `limit` of the oldest rows, until the others have at most `bytesMax`. Returns their number. */
export async function deleteOldest(
  tx: Tx,
  { bytesMax, limit }: { bytesMax: number; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rendered_messages where (share_id, message_id, language) in (
      select share_id, message_id, language from (
        select share_id, message_id, language,
          sum(size_bytes) over (order by rendered_at, share_id, message_id, language) - size_bytes as older
        from (
          select share_id, message_id, language, size_bytes, rendered_at
          from rendered_messages order by rendered_at limit ${limit}
        ) as oldest
      ) as sized where older < (select sum(size_bytes) from rendered_messages) - ${bytesMax}
    )
  `.execute(tx.q);
  return Number(numAffectedRows);
}
