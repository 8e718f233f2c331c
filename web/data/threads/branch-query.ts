import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { branchKey, branchPage, withLowerEnd, type BranchRows } from "./branch-rows.ts";
import type { Call } from "../call.ts";
import { knownBranch } from "./thread-cache.ts";

/** How the lower end of a thread's shown branch is read. */
export function branchQuery({ call, queries }: { call: Call; queries: QueryClient }, threadId: string) {
  return queryOptions({
    queryKey: branchKey(threadId),
    queryFn: async ({ signal }): Promise<BranchRows> => {
      const query = { limit: String(branchPage) };
      const page = await call("messages.branch", { params: { thread_id: threadId }, query }, signal);
      return withLowerEnd(knownBranch(queries, threadId), page);
    },
  });
}
