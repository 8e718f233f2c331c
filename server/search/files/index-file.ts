import { lockByName } from "#storage/database/portable-sql.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { takePending } from "../rows.ts";
import { piecesOf } from "./pieces.ts";
import * as rows from "./rows.ts";

/**
 * Indexes a pending file with its current name and text, one piece per transaction. The last transaction deletes the
 * pending entry, so that indexing restarts if the process dies. Returns false if another process took the file over.
 */
export async function indexFile(db: Database, id: string): Promise<boolean> {
  const file = await rows.findFile({ q: db.read, engine: db.engine }, id);
  const read = file === undefined ? undefined : await rows.findText(db, id);
  if (file === undefined) {
    await db.write(async (tx) => void (await takePending(tx, [{ kind: "file", id }])));
    return true;
  }
  const { workspaceId, name } = file;
  const pages = read?.pages ?? null;
  const pieces = await piecesOf({ workspaceId, name, text: read?.text ?? "", hasPages: pages !== null });

  /** Returns whether the documents still exist. */
  async function fill(tx: Tx, documents: rows.FileDocuments, at: number): Promise<boolean> {
    const piece = pieces[at];
    if (piece !== undefined && !(await rows.fillDocument(tx, documents, at, piece.words))) return false;
    if (at >= pieces.length - 1) await takePending(tx, [{ kind: "file", id }]);
    return true;
  }

  // If the file changed while its words were split, its pending entry stays for the next round.
  const isUnchanged = async (tx: Tx): Promise<boolean> => same(await rows.findFile(tx, id), file);
  const documents = await db.write(async (tx) => {
    await lockByName(tx, "search");
    if (!(await isUnchanged(tx))) return undefined;
    const created = await rows.createDocuments(tx, file, pieces);
    await fill(tx, created, 0);
    return created;
  });
  for (let at = 1; documents !== undefined && at < pieces.length; at++) {
    await yieldToEventLoop();
    const outcome = await db.write(async (tx) => {
      await lockByName(tx, "search");
      if (!(await isUnchanged(tx))) return "changed";
      return (await fill(tx, documents, at)) ? "filled" : "taken";
    });
    if (outcome !== "filled") return outcome === "changed";
  }
  return true;
}

function same(a: rows.FileToIndex | undefined, b: rows.FileToIndex): boolean {
  return (
    a !== undefined &&
    a.name === b.name &&
    a.workspaceId === b.workspaceId &&
    a.readAt === b.readAt &&
    a.reader === b.reader
  );
}
