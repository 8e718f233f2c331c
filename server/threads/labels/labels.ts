import type { BodyOf } from "#contract/api.ts";
import type { Label, LabelKind, LabelPut } from "#contract/labels/endpoints.ts";
import { labelKey, labelName } from "#contract/labels/labels.ts";
import { isId, newId } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import { cutText } from "#contract/text.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import { lockByName } from "#storage/database/portable-sql.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import { writeOnce } from "#server/lib/write-once.ts";
import type { Live } from "#server/live/live.ts";
import type { ThreadMove } from "../claim.ts";
import { lockThreads } from "../rows.ts";
import type { ThreadScope } from "../thread-scope.ts";
import * as rows from "./rows.ts";

type LabelScope = Pick<ThreadScope, "workspaceId">;

/** The folders and tags of a workspace. Members of its shared threads have their own workspace. */
export type Labels = ReturnType<typeof createLabels>;

export function createLabels({ db, live, clock }: { db: Database; live: Live; clock: Clock }) {
  const announce = async (tx: Tx, workspaceId: string) =>
    await live.announce(tx, workspaceId, [{ type: "labels-put" }]);

  /** Adds a label. Throws `too-many-labels`. */
  async function add(
    tx: Tx,
    { workspaceId }: LabelScope,
    label: { id: string; kind: LabelKind; name: string },
    existing: rows.LabelRow[],
  ): Promise<rows.LabelRow> {
    if (existing.filter(({ kind }) => kind === label.kind).length >= limits.labelsMax)
      throw new AppError("too-many-labels");
    const row = {
      ...label,
      workspace_id: workspaceId,
      name_key: labelKey(label.name),
      created_at: clock.now(),
    };
    await rows.ownedLabels.insert(tx, row);
    return row;
  }

  return {
    async list({ workspaceId }: LabelScope): Promise<Label[]> {
      const found = await rows.ownedLabels.list(db.read, workspaceId);
      return found.map(present).toSorted((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
    },

    /** Throws `label-not-found` for an id of another workspace or kind, `label-name-taken`, `too-many-labels`. */
    async put(place: LabelScope, id: string, body: LabelPut): Promise<Label> {
      if (!isId("label", id))
        throw badRequest("path.label_id", "must be a label id: lbl_0 and 24 characters");
      const name = labelName(body.name);
      if (name === "") throw badRequest("body.name", "must not be empty");
      return await writeOnce(db, async (tx) => {
        await lockLabels(tx, place.workspaceId);
        const taken = await rows.ownedLabels.find(tx.q, id);
        if (taken !== undefined && (taken.workspace_id !== place.workspaceId || taken.kind !== body.kind))
          throw new AppError("label-not-found");
        const existing = await rows.ownedLabels.list(tx.q, place.workspaceId);
        if (
          existing.some((one) => one.id !== id && one.kind === body.kind && one.name_key === labelKey(name))
        )
          throw new AppError("label-name-taken");
        const row = taken ?? (await add(tx, place, { id, kind: body.kind, name }, existing));
        if (taken !== undefined)
          await rows.ownedLabels.update(tx, place.workspaceId, id, { name, name_key: labelKey(name) });
        await announce(tx, place.workspaceId);
        return present({ ...row, name });
      });
    },

    /** Its threads stay. Throws `label-not-found`. */
    async remove({ workspaceId }: LabelScope, id: string): Promise<void> {
      await db.write(async (tx) => {
        const row = await rows.ownedLabels.find(tx.q, id);
        if (row?.workspace_id !== workspaceId) throw new AppError("label-not-found");
        await lockThreads(tx, await rows.threadsOfLabel(tx, id));
        await rows.ownedLabels.remove(tx, workspaceId, id);
        await announce(tx, workspaceId);
      });
    },

    /**
     * The ids of the labels of a workspace with these names. Those that do not exist are created, as long as there is
     * room.
     */
    async findOrCreate(
      tx: Tx,
      place: LabelScope,
      kind: LabelKind,
      names: readonly string[],
    ): Promise<string[]> {
      const wanted = new Map<string, string>();
      for (const each of names) {
        const name = cutText(labelName(each), limits.labelCharacters);
        if (name !== "" && !wanted.has(labelKey(name))) wanted.set(labelKey(name), name);
      }
      if (wanted.size === 0) return [];
      await lockLabels(tx, place.workspaceId);
      const existing = await rows.ownedLabels.list(tx.q, place.workspaceId);
      const found: string[] = [];
      let isNew = false;
      for (const [key, name] of wanted) {
        const known = existing.find((one) => one.kind === kind && one.name_key === key);
        if (known !== undefined) found.push(known.id);
        else if (existing.filter((one) => one.kind === kind).length < limits.labelsMax) {
          const row = await add(tx, place, { id: newId("label", clock.now()), kind, name }, existing);
          existing.push(row);
          found.push(row.id);
          isNew = true;
        }
      }
      if (isNew) await announce(tx, place.workspaceId);
      return found;
    },

    /** A guest who signs in keeps theirs. Those with a name that the account has become one with it. */
    async move(tx: Tx, move: ThreadMove): Promise<void> {
      const { from, to } = move;
      await lockLabels(tx, from.workspaceId, to.workspaceId);
      const moved = await rows.ownedLabels.list(tx.q, from.workspaceId);
      if (moved.length === 0) return;
      const there = await rows.ownedLabels.list(tx.q, to.workspaceId);
      for (const row of moved) {
        const same = there.find(({ kind, name_key: key }) => kind === row.kind && key === row.name_key);
        if (same === undefined) continue;
        await rows.giveThreads(tx, row, same.id);
        await rows.ownedLabels.remove(tx, from.workspaceId, row.id);
      }
      await rows.ownedLabels.move(tx, move);
      await announce(tx, from.workspaceId);
      await announce(tx, to.workspaceId);
    },

    erase: rows.ownedLabels.erase,
  };
}

/** Labels of these workspaces change one after the other, until the transaction ends. */
async function lockLabels(tx: Tx, ...workspaceIds: string[]): Promise<void> {
  for (const id of workspaceIds.toSorted()) await lockByName(tx, `labels of ${id}`);
}

/** Sets the folder and the tags of a locked thread. Throws `label-not-found`. */
export async function setLabels(
  tx: Tx,
  { workspaceId }: LabelScope,
  threadId: string,
  { folder_id: folderId, tag_ids: tagIds }: Pick<BodyOf<"threads.update">, "folder_id" | "tag_ids">,
): Promise<{ folder_id?: string | null }> {
  if (tagIds !== undefined) {
    const unique = [...new Set(tagIds)];
    const own = await rows.filterIds(tx, workspaceId, "tag", unique);
    if (own.length < unique.length) throw new AppError("label-not-found");
    await rows.setTags(tx, threadId, own);
  }
  if (folderId === undefined) return {};
  if (folderId !== null && (await rows.filterIds(tx, workspaceId, "folder", [folderId])).length === 0)
    throw new AppError("label-not-found");
  return { folder_id: folderId };
}

function present({ id, kind, name, created_at: createdAt }: rows.LabelRow): Label {
  return { id, kind, name, created_at: isoTime(createdAt) };
}
