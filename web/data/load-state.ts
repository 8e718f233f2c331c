import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import { failureOf, type Failure } from "./failure.ts";

/** `failed`: there is nothing to show. Data that was read before stays `ready` when reading it again fails. */
export type LoadState = "loading" | "ready" | "failed";

export type Loaded = { state: LoadState; failure?: Failure; retry: () => void };

/** The state of a query as the screens show it. */
export function loadedOf({
  data,
  status,
  error,
  refetch,
}: Pick<UseQueryResult, "data" | "status" | "error" | "refetch">): Loaded {
  return {
    state: data !== undefined ? "ready" : status === "error" ? "failed" : "loading",
    ...(error === null ? {} : { failure: failureOf(error) }),
    retry: () => void refetch(),
  };
}

export type LoadedPages = Loaded & { hasMore: boolean; isLoadingMore: boolean; loadMore: () => void };

/** Like `loadedOf`, for a list of pages. */
export function loadedPagesOf(query: UseInfiniteQueryResult): LoadedPages {
  return {
    ...loadedOf(query),
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
  };
}
