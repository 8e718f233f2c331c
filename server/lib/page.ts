/** A page of a list, and the id of its last row if more rows follow. `found`: up to `limit + 1` rows. */
export function pageOf<Row extends { id: string }>(
  found: readonly Row[],
  limit: number,
): { page: Row[]; next: string | null } {
  const page = found.slice(0, limit);
  return { page, next: found.length > limit ? page.at(-1)!.id : null };
}
