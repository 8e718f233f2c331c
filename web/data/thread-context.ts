import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Context } from "#contract/endpoints/summaries.ts";
import type { ModelInfo } from "#contract/endpoints/models.ts";
import { useServices } from "./provider.tsx";
import { branchQuery } from "./threads/branch-query.ts";
import type { BranchRows } from "./threads/branch-rows.ts";

/** A short branch is not measured: it takes less than this part of the model's context. */
const measuredPart = 0.2;
/** For models whose context is not known. */
const usualContextTokens = 32_768;
/** English has four or more, Chinese has fewer. */
const charactersPerToken = 2;

/**
 * How much of the model's context the visible branch takes. `undefined` while it is short or being measured. `isRunning`: an
 * answer changes it, so it is measured when the answer has ended.
 */
export function useThreadContext(
  threadId: string,
  selection: { assistantId: string | undefined; model: ModelInfo | undefined },
  isRunning: boolean,
): Context | undefined {
  const services = useServices();
  const { data: rows } = useQuery({ ...branchQuery(services, threadId), enabled: false });
  const { assistantId, model } = selection;
  const contextTokens = model?.context_tokens ?? usualContextTokens;
  const mayBeLong = useMemo(
    () => rows !== undefined && isLong(rows, contextTokens * measuredPart * charactersPerToken),
    [rows, contextTokens],
  );
  const query = useQuery({
    queryKey: ["context", threadId, assistantId, model?.id, rows?.headId, rows?.summary?.updated_at],
    queryFn: async ({ signal }) => {
      const choice = { ...(assistantId && { assistant_id: assistantId }), ...(model && { model: model.id }) };
      return await services.call(
        "threads.context",
        { params: { thread_id: threadId }, query: choice },
        signal,
      );
    },
    enabled: mayBeLong && !isRunning,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
  return mayBeLong ? query.data : undefined;
}

/** Whether there are earlier messages, a summary, files, or this many characters. */
function isLong({ hasMore, summary, messages }: BranchRows, characters: number): boolean {
  if (hasMore || summary !== null) return true;
  const text = JSON.stringify(messages.map(({ content }) => content));
  return text.length > characters || text.includes('"type":"file"') || text.includes('"type":"image"');
}
