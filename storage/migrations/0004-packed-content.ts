import { sql, type Kysely } from "kysely";
import { packContent } from "../lib/packed-content.ts";
import type { Engine } from "../lib/engine.ts";

/**
 * Stores the text of each message once on SQLite. PostgreSQL keeps both until no server of an earlier version can run
 * beside this one: those cannot read it.
 */
export async function packedContent(db: Kysely<unknown>, engine: Engine): Promise<void> {
  if (engine === "postgres") return;
  let after = 0;
  for (;;) {
    // One at a time, because a message can have 8 MiB.
    const { rows } = await sql<{ at: number; content: string; plain_text: string }>`
      select rowid as at, content, plain_text from messages where rowid > ${after} order by rowid limit 1`.execute(
      db,
    );
    const [message] = rows;
    if (message === undefined) return;
    const { at, content, plain_text: plainText } = message;
    after = at;
    const packed = packContent(content, plainText);
    if (packed !== content)
      await sql`update messages set content = ${packed} where rowid = ${at}`.execute(db);
  }
}
