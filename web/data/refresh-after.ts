import type { QueryClient, QueryKey } from "@tanstack/react-query";

/** Reads the queries of these keys again when the change has ended, also if it failed: then the rows may be outdated. */
export async function refreshAfter<Result>(
  queries: QueryClient,
  keys: readonly QueryKey[],
  change: Promise<Result>,
): Promise<Result> {
  try {
    return await change;
  } finally {
    await Promise.all(keys.map(async (queryKey) => await queries.invalidateQueries({ queryKey })));
  }
}
