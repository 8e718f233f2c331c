import { useEffect, useMemo, useSyncExternalStore } from "react";
import { skipToken, useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import type { Comparison } from "#contract/endpoints/comparisons.ts";
import type { BranchMessage } from "#contract/endpoints/messages.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { Call } from "../call.ts";
import { loadedOf, type Loaded } from "../load-state.ts";
import { useServices } from "../provider.tsx";
import { branchKey, comparisonsKey } from "./branch-rows.ts";
import { partsOf } from "./message-parts.ts";
import { useLatestReply } from "../answers/latest-reply.ts";
import type { VisibleMessage } from "./visible-branch.ts";

/** A comparison of this thread, kept fresh. */
export function useComparison(threadId: string, id: string): Loaded & { comparison: Comparison | undefined } {
  const { call } = useServices();
  const query = useQuery({
    queryKey: [...comparisonsKey(threadId), id],
    queryFn: async ({ signal }) =>
      (await call("comparisons.get", { params: { comparison_id: id } }, signal)).comparison,
  });
  return { ...loadedOf(query), comparison: query.data };
}

const answerKey = (threadId: string, replyId: string) => [...comparisonsKey(threadId), "answer", replyId];

/** One of the answers as the page shows it; `undefined` until it has loaded. */
export function useComparedAnswer(
  threadId: string,
  { reply_id: replyId, run_id: runId }: Comparison["answers"][number],
): VisibleMessage | undefined {
  const { call, replies } = useServices();
  const queries = useQueryClient();
  const { data: row } = useQuery({
    queryKey: answerKey(threadId, replyId),
    queryFn: async ({ signal }) => {
      const query = { head: replyId, limit: "1" };
      const { messages } = await call("messages.branch", { params: { thread_id: threadId }, query }, signal);
      return messages.find(({ id }) => id === replyId) ?? null;
    },
  });
  const isRunning = row?.status.type === "running" || row?.status.type === "requires-action";
  useEffect(() => (isRunning ? replies.follow(runId) : undefined), [replies, runId, isRunning]);
  const live = useSyncExternalStore(replies.outlines.subscribe, () => replies.outlines.get().get(runId));
  const hasEnded = live?.reply.end !== undefined;
  useEffect(() => {
    if (hasEnded) void queries.invalidateQueries({ queryKey: answerKey(threadId, replyId) });
  }, [hasEnded, queries, threadId, replyId]);
  return row == null ? undefined : { row, live: isRunning ? live : undefined, outboxEntry: undefined };
}

/** The parts of an answer in a comparison that the page has loaded; `undefined` for every other id. */
export function usePartsOfCompared(
  threadId: string,
  replyId: string | undefined,
): readonly Part[] | undefined {
  const { data: row } = useQuery<BranchMessage | null>({
    queryKey: answerKey(threadId, replyId ?? ""),
    queryFn: skipToken,
  });
  const isRunning = row?.status.type === "running" || row?.status.type === "requires-action";
  const runId = isRunning ? row.run_id : null;
  const latest = useLatestReply(runId ?? undefined, ({ parts }) => parts);
  return useMemo(() => latest ?? (row == null ? undefined : partsOf(row)), [latest, row]);
}

export type ComparisonActions = {
  /** Continues the thread with this answer. Throws `CallError`. */
  choose(comparisonId: string, replyId: string): Promise<void>;
  /** Stops all of its answers. Throws `CallError`. */
  stopAll(comparisonId: string): Promise<void>;
};

export function createComparisonActions(
  { call, queries }: { call: Call; queries: QueryClient },
  threadId: string,
): ComparisonActions {
  const refresh = async () =>
    await Promise.all(
      [comparisonsKey(threadId), branchKey(threadId)].map(
        async (queryKey) => await queries.invalidateQueries({ queryKey }),
      ),
    );
  return {
    async choose(comparisonId, replyId) {
      const params = { comparison_id: comparisonId };
      await call("comparisons.choose", { params, body: { reply_id: replyId } });
      await refresh();
    },
    async stopAll(comparisonId) {
      const { comparison } = await call("comparisons.get", { params: { comparison_id: comparisonId } });
      await Promise.all(
        comparison.answers.map(async ({ run_id }) => await call("runs.stop", { params: { run_id } })),
      );
    },
  };
}
