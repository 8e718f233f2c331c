import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { limits } from "#contract/limits.ts";
import type { SearchHit } from "#contract/endpoints/search.ts";
import { failureOf, type Failure } from "../failure.ts";
import { useServices } from "../provider.tsx";
import { searchKey } from "./search-key.ts";
import { ownTimeZone } from "../session/time-zone.ts";
import type { LoadState } from "../threads/threads.ts";

export type Searched = {
  hits: SearchHit[];
  /** Filters that were not understood, as they were typed. */
  ignored: string[];
  state: LoadState;
  failure?: Failure;
  /** What is shown is the answer to what was typed before. */
  isStale: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  retry: () => void;
};

/** What is found for `typed`, newest first; while the next answer comes, the last one stays. Nothing for blanks and for more than can be asked. */
export function useSearch(
  typed: string,
  options: { kind?: "title" | "message" | "file"; limit?: number } = {},
): Searched {
  const { call } = useServices();
  const { kind, limit = 20 } = options;
  const timeZone = ownTimeZone();
  const isAsked = typed.trim() !== "" && typed.length <= limits.searchCharacters;
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
    enabled: isAsked,
    placeholderData: keepPreviousData,
    // What is said meanwhile is told by the feed (`changes.ts`).
    staleTime: 5_000,
    gcTime: 60_000,
  });
  const pages = isAsked ? (query.data?.pages ?? []) : [];
  return {
    hits: pages.flatMap((page) => page.hits),
    ignored: pages[0]?.ignored ?? [],
    state: !isAsked || query.data !== undefined ? "ready" : query.status === "error" ? "failed" : "loading",
    ...(query.error === null ? {} : { failure: failureOf(query.error) }),
    isStale: isAsked && query.isPlaceholderData,
    hasMore: query.hasNextPage && !query.isPlaceholderData,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
}
