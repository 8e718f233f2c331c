import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import type { StoredFile } from "#contract/endpoints/files.ts";
import { isOwnOrigin, readBaseUrl } from "../session/base-url.ts";
import { failureOf } from "../failure.ts";
import { filesKey } from "../query-keys.ts";
import { loadedPagesOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";

export type FileSort = "newest" | "name" | "largest";

/** 10 minutes: the URLs that need no session expire after 15. */
const urlsFreshMs = 10 * 60_000;

/** The user's own files on the server. `remove` throws `CallError`. */
export function useFileList(typed: string, sort: FileSort) {
  const { call, queries } = useServices();
  const query = useInfiniteQuery({
    queryKey: [...filesKey, typed, sort],
    queryFn: async ({ signal, pageParam }) =>
      await call(
        "files.list",
        {
          query: {
            sort,
            ...(typed === "" ? {} : { q: typed }),
            ...(pageParam === null ? {} : { after: pageParam }),
          },
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    // The feed reports changed files, but not the renamed threads that they belong to.
    staleTime: 0,
    ...(isOwnOrigin(readBaseUrl()) ? {} : refetchUrls),
  });
  const last = query.data?.pages.at(-1);
  return {
    ...loadedPagesOf(query),
    files: query.data?.pages.flatMap(({ files }): StoredFile[] => files) ?? [],
    usedBytes: last?.used_bytes ?? 0,
    quotaBytes: last?.quota_bytes ?? undefined,
    isStale: query.isPlaceholderData,
    moreFailure: query.isFetchNextPageError ? failureOf(query.error) : undefined,
    async remove(id: string) {
      await call("files.remove", { params: { file_id: id } });
      await queries.invalidateQueries({ queryKey: filesKey });
    },
  };
}

/** A page of another origin reads the files by these URLs. */
const refetchUrls = {
  refetchInterval: urlsFreshMs,
  refetchOnWindowFocus: ({ state }: { state: { dataUpdatedAt: number } }) =>
    Date.now() - state.dataUpdatedAt > urlsFreshMs,
};
