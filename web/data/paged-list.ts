import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { loadedPagesOf } from "./load-state.ts";

/**
 * A list that the server returns page by page, read again whenever it is shown. `next` returns the cursor of the page
 * after one. While the list of another `key` loads, the pages of the previous one stay, unless `isCleared`.
 */
export function usePagedList<Page>({
  key,
  read,
  next,
  isCleared = false,
  enabled = true,
}: {
  key: readonly unknown[];
  read: (after: { after?: string }, signal: AbortSignal) => Promise<Page>;
  next: (page: Page) => string | null;
  isCleared?: boolean;
  enabled?: boolean;
}) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ signal, pageParam }) =>
      await read(pageParam === null ? {} : { after: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: next,
    enabled,
    ...(isCleared ? {} : { placeholderData: keepPreviousData }),
    staleTime: 0,
  });
  return { ...loadedPagesOf(query), pages: query.data?.pages ?? [] };
}
