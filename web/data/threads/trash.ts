import { useInfiniteQuery } from "@tanstack/react-query";
import type { Thread } from "#contract/endpoints/threads.ts";
import { loadedPagesOf, type LoadedPages } from "../load-state.ts";
import { mapWithConcurrency, type Outcome } from "#web/lib/map-with-concurrency.ts";
import { useServices } from "../provider.tsx";
import { threadPageSize, trashKey } from "./thread-list.ts";

/** The threads in the trash, last deleted first. The actions delete permanently and throw `CallError`. */
export function useTrash(): LoadedPages & {
  threads: Thread[];
  remove: (id: string) => Promise<void>;
  /** Deletes many threads. Never throws; the outcome has the failed ones. */
  removeAll: <Row extends { id: string }>(rows: readonly Row[]) => Promise<Outcome<Row>>;
  /** Returns the number of deleted threads. */
  empty: () => Promise<number>;
} {
  const { call, queries } = useServices();
  const query = useInfiniteQuery({
    queryKey: trashKey,
    queryFn: async ({ signal, pageParam }) => {
      const after = pageParam === null ? {} : { after: pageParam };
      return (await call("trash.list", { query: { limit: String(threadPageSize), ...after } }, signal))
        .threads;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.length === threadPageSize ? page.at(-1)?.id : undefined),
    // The feed reports other deletions only while this is visible.
    staleTime: 0,
  });
  const refresh = async () => await queries.invalidateQueries({ queryKey: trashKey });
  return {
    ...loadedPagesOf(query),
    threads: query.data?.pages.flat() ?? [],
    async remove(id) {
      await call("trash.remove", { params: { thread_id: id } });
      await refresh();
    },
    async removeAll(rows) {
      const outcome = await mapWithConcurrency(rows, async ({ id }) => {
        await call("trash.remove", { params: { thread_id: id } });
      });
      await refresh();
      return outcome;
    },
    async empty() {
      const { deleted } = await call("trash.empty", {});
      await refresh();
      return deleted;
    },
  };
}
