import { branchQuery } from "../threads/branch-query.ts";
import { browserServices } from "../services.ts";
import { isUnsent, threadListQuery } from "../threads/threads.ts";

/** Starts the requests for the page at `path` before React renders it, so that both happen at the same time. */
export function prefetchPage(path: string): void {
  const services = browserServices();
  const [, threadId] = /\/t\/([^/]+)$/.exec(path) ?? [];
  if (threadId !== undefined && !isUnsent(services, threadId))
    void services.queries.prefetchQuery(branchQuery(services, threadId));
  void services.queries.prefetchQuery(threadListQuery(services, "regular"));
  void services.queries.prefetchQuery(threadListQuery(services, "pinned"));
}
