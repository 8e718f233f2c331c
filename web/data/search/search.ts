import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { limits } from "#contract/limits.ts";
import type * as z from "zod/mini";
import type { SearchHit, SearchThread, searchQuery } from "#contract/endpoints/search.ts";
import { loadedPagesOf, type LoadedPages } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { searchKey } from "../query-keys.ts";
import { ownTimeZone } from "../session/time-zone.ts";

type Results = LoadedPages & {
  /** Invalid filters, as they were typed. */
  ignored: string[];
  /** The results belong to the previous query. */
  isStale: boolean;
};
export type SearchResults = Results & { hits: SearchHit[] };
export type ThreadResults = Results & { results: SearchThread[] };

type SearchQuery = z.input<typeof searchQuery>;
type Options = { kind?: "title" | "message" | "file"; limit?: number; threadId?: string };

/**
 * The search results, newest first. The previous results stay visible while the next ones load. Empty for a blank or too
 * long query.
 */
export function useSearch(typed: string, options: Options = {}): SearchResults {
  const { call } = useServices();
  const { pages, ...results } = useSearchPages(typed, options, "hits", (query, signal) =>
    call("search.find", { query }, signal),
  );
  return { ...results, hits: pages.flatMap((page) => page.hits) };
}

/** Like `useSearch`, grouped by thread. */
export function useThreadSearch(typed: string, options: Omit<Options, "threadId"> = {}): ThreadResults {
  const { call } = useServices();
  const { pages, ...results } = useSearchPages(typed, options, "threads", (query, signal) =>
    call("search.threads", { query }, signal),
  );
  return { ...results, results: pages.flatMap((page) => page.results) };
}

function useSearchPages<Page extends { next: string | null; ignored: string[] }>(
  typed: string,
  { kind, limit = 20, threadId }: Options,
  key: string,
  readPage: (query: SearchQuery, signal: AbortSignal) => Promise<Page>,
) {
  const timeZone = ownTimeZone();
  const isValid = typed.trim() !== "" && typed.length <= limits.searchCharacters;
  const query = useInfiniteQuery({
    queryKey: [...searchKey, key, typed, kind, limit, threadId],
    queryFn: async ({ signal, pageParam }) =>
      await readPage(
        {
          q: typed,
          limit: String(limit),
          ...(timeZone === undefined ? {} : { time_zone: timeZone }),
          ...(kind === undefined ? {} : { kind }),
          ...(threadId === undefined ? {} : { thread_id: threadId }),
          ...(pageParam === null ? {} : { after: pageParam }),
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
    pages,
    ignored: pages[0]?.ignored ?? [],
    state: isValid ? loaded.state : ("ready" as const),
    isStale: isValid && query.isPlaceholderData,
    hasMore: query.hasNextPage && !query.isPlaceholderData,
  };
}
