import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { limits } from "#contract/limits.ts";
import type { SearchHit } from "#contract/endpoints/search.ts";
import { loadedPagesOf, type LoadedPages } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { searchKey } from "../query-keys.ts";
import { ownTimeZone } from "../session/time-zone.ts";

export type SearchResults = LoadedPages & {
  hits: SearchHit[];
  /** Invalid filters, as they were typed. */
  ignored: string[];
  /** The hits belong to the previous query. */
  isStale: boolean;
};

/**
 * The search results, newest first. The previous results stay visible while the next ones load. Empty for a blank or too
 * long query.
 */
export function useSearch(
  typed: string,
  options: { kind?: "title" | "message" | "file"; limit?: number } = {},
): SearchResults {
  const { call } = useServices();
  const { kind, limit = 20 } = options;
  const timeZone = ownTimeZone();
  const isValid = typed.trim() !== "" && typed.length <= limits.searchCharacters;
  const query = useInfiniteQuery({
    queryKey: [...searchKey, typed, kind, limit],
    queryFn: async ({ signal, pageParam }) =>
      await call(
        "search.find",
        {
          query: {
            q: typed,
            limit: String(limit),
            ...(timeZone === undefined ? {} : { time_zone: timeZone }),
            ...(kind === undefined ? {} : { kind }),
            ...(pageParam === null ? {} : { after: pageParam }),
          },
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    enabled: isValid,
    placeholderData: keepPreviousData,
    // The feed refreshes the results (`changes.ts`).
    staleTime: 5_000,
    gcTime: 60_000,
  });
  const pages = isValid ? (query.data?.pages ?? []) : [];
  const loaded = loadedPagesOf(query);
  return {
    ...loaded,
    hits: pages.flatMap((page) => page.hits),
    ignored: pages[0]?.ignored ?? [],
    state: isValid ? loaded.state : "ready",
    isStale: isValid && query.isPlaceholderData,
    hasMore: query.hasNextPage && !query.isPlaceholderData,
  };
}
