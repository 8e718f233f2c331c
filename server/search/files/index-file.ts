import { lockByName } from "#storage/database/portable-sql.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { setImmediate as letOthersIn } from "node:timers/promises";
import { takePending } from "../rows.ts";
import { piecesOf } from "./pieces.ts";
import * as rows from "./rows.ts";

/**
 * Indexes a file that was noted, as its name and its text are now: a piece a transaction, and its note goes with the
 * last, so that a death in between begins it anew. Answers false where another process has begun with it too: then it is
 * that one's.
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

  /** Answers whether the room is still there. */
  async function fill(tx: Tx, room: rows.Room, at: number): Promise<boolean> {
    const piece = pieces[at];
    if (piece !== undefined && !(await rows.fillRoom(tx, room, at, piece.words))) return false;
    if (at >= pieces.length - 1) await takePending(tx, [{ kind: "file", id }]);
    return true;
  }

  // What changed while its words were read is left for the next time: its note stays.
  const isSame = async (tx: Tx): Promise<boolean> => same(await rows.findFile(tx, id), file);
  const room = await db.write(async (tx) => {
    await lockByName(tx, "search");
    if (!(await isSame(tx))) return undefined;
    const made = await rows.makeRoom(tx, file, pieces);
    await fill(tx, made, 0);
    return made;
  });
  for (let at = 1; room !== undefined && at < pieces.length; at++) {
    await letOthersIn();
    const outcome = await db.write(async (tx) => {
      await lockByName(tx, "search");
      if (!(await isSame(tx))) return "changed";
      return (await fill(tx, room, at)) ? "filled" : "taken";
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
