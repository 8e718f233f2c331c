import { useInfiniteQuery } from "@tanstack/react-query";
import type { Thread } from "#contract/endpoints/threads.ts";
import { failureOf, type Failure } from "../failure.ts";
import { inTurns, type Outcome } from "#web/lib/map-with-concurrency.ts";
import { useServices } from "../provider.tsx";
import { threadPage, trashKey } from "./thread-list.ts";
import type { LoadState } from "./threads.ts";

/** The threads in the trash, last thrown away first, and how they go for good. The deeds throw `CallError`. */
export function useTrash(): {
  threads: Thread[];
  state: LoadState;
  failure?: Failure;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  retry: () => void;
  remove: (id: string) => Promise<void>;
  /** Many, a few at a time; what failed is in the outcome. Never throws. */
  removeAll: <Row extends { id: string }>(rows: readonly Row[]) => Promise<Outcome<Row>>;
  /** Answers how many threads went. */
  empty: () => Promise<number>;
} {
  const { call, queries } = useServices();
  const query = useInfiniteQuery({
    queryKey: trashKey,
    queryFn: async ({ signal, pageParam }) => {
      const after = pageParam === null ? {} : { after: pageParam };
      return (await call("trash.list", { query: { limit: String(threadPage), ...after } }, signal)).threads;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.length === threadPage ? page.at(-1)?.id : undefined),
    // What other tabs throw away is told while this is shown.
    staleTime: 0,
  });
  const again = async () => await queries.invalidateQueries({ queryKey: trashKey });
  return {
    threads: query.data?.pages.flat() ?? [],
    state: query.data !== undefined ? "ready" : query.status === "error" ? "failed" : "loading",
    ...(query.error === null ? {} : { failure: failureOf(query.error) }),
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
    async remove(id) {
      await call("trash.remove", { params: { thread_id: id } });
      await again();
    },
    async removeAll(rows) {
      const outcome = await inTurns(rows, async ({ id }) => {
        await call("trash.remove", { params: { thread_id: id } });
      });
      await again();
      return outcome;
    },
    async empty() {
      const { deleted } = await call("trash.empty", {});
      await again();
      return deleted;
    },
  };
}
