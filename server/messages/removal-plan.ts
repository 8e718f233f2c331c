import type { Row } from "#storage/database/tables.ts";

type Node = Pick<Row<"messages">, "id" | "parent_id" | "height">;

/** Where a message will stand. */
export type Moved = {
  id: string;
  parentId: string | null;
  height: number;
  /** Whether its parent is another than before. */
  isRelinked: boolean;
};

export type RemovalPlan = {
  goneIds: string[];
  /** Everything that stays below a deleted message, in the order of `subtree`. */
  moved: Moved[];
  /** The closest message above this deleted one that stays; `null` where there is none. */
  aboveOf(goneId: string): string | null;
};

/**
 * What deleting some messages does to a tree: their children move up to the closest message above that stays, and
 * everything below rises with them. `subtree` has the deleted messages and all their descendants, parents first.
 */
export function planRemoval(subtree: readonly Node[], isGone: (id: string) => boolean): RemovalPlan {
  // For each message, what its children hang below: itself, or what stands above it where it is deleted.
  const places = new Map<string, { id: string | null; height: number }>();
  const goneIds: string[] = [];
  const moved: Moved[] = [];
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
  return { goneIds, moved, aboveOf: (goneId) => places.get(goneId)?.id ?? null };
}
