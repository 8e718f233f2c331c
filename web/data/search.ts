import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import type { SearchHit } from "#contract/search.ts";
import { failureOf, type Failure } from "./failure.ts";
import { useServices } from "./provider.tsx";
import { ownTimeZone } from "./time-zone.ts";
import type { LoadState } from "./threads.ts";

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

/** What is found for `typed`, newest first; while the next answer comes, the last one stays. Nothing for blanks. */
export function useSearch(
  typed: string,
  options: { kind?: "title" | "message" | "file"; limit?: number } = {},
): Searched {
  const { call } = useServices();
  const { kind, limit = 20 } = options;
  const timeZone = ownTimeZone();
  const isBlank = typed.trim() === "";
  const query = useInfiniteQuery({
    queryKey: ["search", typed, kind, limit],
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
    enabled: !isBlank,
    placeholderData: keepPreviousData,
    // What is said meanwhile is found the next time.
    staleTime: 5_000,
    gcTime: 60_000,
  });
  const pages = isBlank ? [] : (query.data?.pages ?? []);
  return {
    hits: pages.flatMap((page) => page.hits),
    ignored: pages[0]?.ignored ?? [],
    state: isBlank || query.data !== undefined ? "ready" : query.status === "error" ? "failed" : "loading",
    ...(query.error === null ? {} : { failure: failureOf(query.error) }),
    isStale: !isBlank && query.isPlaceholderData,
    hasMore: query.hasNextPage && !query.isPlaceholderData,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
}
