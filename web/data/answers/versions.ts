import { useQuery } from "@tanstack/react-query";
import type { BranchMessage } from "#contract/endpoints/messages.ts";
import { mapWithConcurrency } from "#web/lib/map-with-concurrency.ts";
import { CallError } from "../call-error.ts";
import { loadedOf, type Loaded } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { versionsKey } from "../query-keys.ts";

/**
 * All versions of a message by id, as they are stored. Only the visible one is part of the branch, so each is a request.
 * Those that were deleted or never sent are missing.
 */
export function useVersions(
  threadId: string,
  ids: readonly string[],
): Loaded & { versions: ReadonlyMap<string, BranchMessage> | undefined } {
  const { call } = useServices();
  const query = useQuery({
    queryKey: [...versionsKey(threadId), ids.join(" ")],
    queryFn: async ({ signal }) => {
      const found = new Map<string, BranchMessage>();
      const { failed } = await mapWithConcurrency(ids, async (id) => {
        const params = { thread_id: threadId };
        const page = await call("messages.branch", { params, query: { last: id, limit: "1" } }, signal);
        for (const row of page.messages) found.set(row.id, row);
      });
      const failure = failed.find(({ error }) => !(error instanceof CallError && error.status === 404));
      if (failure !== undefined) throw failure.error;
      return found;
    },
  });
  return { ...loadedOf(query), versions: query.data };
}
