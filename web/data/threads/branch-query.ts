import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { branchKey, branchPageSize, withLatestPage, type BranchRows } from "./branch-rows.ts";
import type { Call } from "../call.ts";
import { cachedBranch } from "./thread-cache.ts";

/** The query of the latest page of a thread's visible branch. */
export function branchQuery({ call, queries }: { call: Call; queries: QueryClient }, threadId: string) {
  return queryOptions({
    queryKey: branchKey(threadId),
    queryFn: async ({ signal }): Promise<BranchRows> => {
      const query = { limit: String(branchPageSize) };
      const page = await call("messages.branch", { params: { thread_id: threadId }, query }, signal);
      return withLatestPage(cachedBranch(queries, threadId), page);
    },
  });
}
