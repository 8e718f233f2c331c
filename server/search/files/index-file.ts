import { lockByName } from "#storage/database/portable-sql.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { addPending, takePending } from "../rows.ts";
import { piecesOf } from "./pieces.ts";
import * as rows from "./rows.ts";

/**
 * Indexes a pending file with its current name and text, one piece per transaction. The last transaction deletes the
 * pending entry, so that indexing restarts if the process dies. Returns false if another process took the file over.
 */
export async function indexFile(db: Database, id: string): Promise<boolean> {
  const file = await rows.findFile({ q: db.read, engine: db.engine }, id);
  const read = file === undefined ? undefined : await rows.findText(db, id);
  const { text = "", pages = null } = read ?? {};
  const pieces = file === undefined ? [] : await piecesOf({ ...file, text, hasPages: pages !== null });

  /**
   * Runs `index` in a transaction if the file is still as it was read. With the last piece the pending entry is deleted,
   * unless the file changed or `index` returns false.
   */
  async function step(at: number, index: (tx: Tx) => Promise<boolean>): Promise<boolean | "changed"> {
    return await db.write(async (tx) => {
      await lockByName(tx, "search");
      const taken = at >= pieces.length - 1 ? await takePending(tx, [{ kind: "file" as const, id }]) : [];
      const outcome = isSame(await rows.findFile(tx, id), file) ? await index(tx) : "changed";
      if (outcome !== true) await addPending(tx, taken);
      return outcome;
    });
  }

  let documents: rows.FileDocuments = { madeIn: "", numbers: [] };
  let outcome = await step(0, async (tx) => {
    if (file === undefined) return true;
    documents = await rows.createDocuments(tx, file, pieces);
    return pieces.length === 0 || (await rows.fillDocument(tx, documents, 0, pieces[0]!.words));
  });
  for (let at = 1; outcome === true && at < pieces.length; at++) {
    await yieldToEventLoop();
    outcome = await step(at, async (tx) => await rows.fillDocument(tx, documents, at, pieces[at]!.words));
  }
  return outcome !== false;
}

/** Whether neither exists, or both are the same file with the same text. */
function isSame(a: rows.FileToIndex | undefined, b: rows.FileToIndex | undefined): boolean {
  return (
    a?.name === b?.name &&
    a?.workspaceId === b?.workspaceId &&
    a?.readAt === b?.readAt &&
    a?.reader === b?.reader
  );
}
