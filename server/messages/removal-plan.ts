import type { Row } from "#storage/database/tables.ts";

type Node = Pick<Row<"messages">, "id" | "parent_id" | "height">;

/** A message's new position in the tree. */
export type MovedMessage = {
  id: string;
  parentId: string | null;
  height: number;
  /** Whether its parent changes. */
  isRelinked: boolean;
};

export type RemovalPlan = {
  deletedIds: string[];
  /** All kept messages below a deleted one, in the order of `subtree`. */
  moved: MovedMessage[];
  /** The closest ancestor of this deleted message that is kept; `null` if there is none. */
  keptAncestorOf(deletedId: string): string | null;
};

/**
 * Plans how deleting some messages changes the tree: their children move up to the closest ancestor that is kept,
 * together with everything below them. `subtree` has the deleted messages and all their descendants, parents first.
 */
export function planRemoval(subtree: readonly Node[], isGone: (id: string) => boolean): RemovalPlan {
  // For each message, the parent that its children get: the message itself, or its kept ancestor if it is deleted.
  const places = new Map<string, { id: string | null; height: number }>();
  const goneIds: string[] = [];
  const moved: MovedMessage[] = [];
  for (const { id, parent_id: parentId, height } of subtree) {
    const above = (parentId === null ? undefined : places.get(parentId)) ?? {
      id: parentId,
      height: height - 1,
    };
    if (isGone(id)) {
      goneIds.push(id);
      places.set(id, above);
    } else {
      const place = { id, height: above.height + 1 };
      places.set(id, place);
      moved.push({ ...place, parentId: above.id, isRelinked: above.id !== parentId });
    }
  }
  return { deletedIds: goneIds, moved, keptAncestorOf: (deletedId) => places.get(deletedId)?.id ?? null };
}
