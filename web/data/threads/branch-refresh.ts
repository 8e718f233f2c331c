import type { QueryClient } from "@tanstack/react-query";
import { backoffMs, pause } from "#web/lib/backoff.ts";
import type { Call } from "../call.ts";
import { CallError } from "../call-error.ts";
import { branchQuery } from "./branch-query.ts";
import { branchKey } from "./branch-rows.ts";
import { cachedBranch, cachedThread } from "./thread-cache.ts";

const maxAttempts = 5;

/** Reads the branch again. Resolves when its rows are there, after five failed attempts, or once the thread is deleted. */
export async function readBranchAgain(
  services: { call: Call; queries: QueryClient },
  threadId: string,
): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (cachedThread(services.queries, threadId)?.deleted_at) return;
    const rows = await services.queries
      .fetchQuery({ ...branchQuery(services, threadId), staleTime: 0 })
      .catch((error: unknown) => (error instanceof CallError && error.status === 404 ? null : undefined));
    if (rows !== undefined) return;
    await pause(backoffMs(attempt));
  }
}

/** Marks the loaded branches that contain this run's reply as stale. */
export function refreshBranchesOfRun(queries: QueryClient, runId: string): void {
  for (const [key] of queries.getQueriesData({ queryKey: ["branch"] })) {
    const threadId = String(key[1]);
    if (cachedBranch(queries, threadId)?.messages.some((message) => message.run_id === runId))
      void queries.invalidateQueries({ queryKey: branchKey(threadId) });
  }
}
