import { type QueryClient, useQuery } from "@tanstack/react-query";
import type { AnswerTexts } from "#contract/artifacts/artifacts.ts";
import type { BranchMessage } from "#contract/endpoints/messages.ts";
import { limits } from "#contract/limits.ts";
import { useServices } from "../provider.tsx";
import type { Services } from "../services.ts";
import { answerTextsOf } from "./edit-answer.ts";
import { readOriginalsOf } from "./original-answers.ts";

/**
 * Pages of messages above the loaded ones: all ids, and the texts of the answers that contain code, oldest first.
 */
type Earlier = {
  ids: readonly string[];
  answers: readonly AnswerTexts[];
  /** There are more messages above. */
  isCut: boolean;
  /** What some answers were made of could not be read. */
  hasFailed: boolean;
  /** Copied from a query that began lower in the branch, so there may be more to read. */
  isOld?: boolean;
};

const pagesMax = 20;
/** The answers in more messages above are not read. */
export const earlierMessagesMax = pagesMax * limits.branchPage;

const empty: Earlier = { ids: [], answers: [], isCut: false, hasFailed: false };

/**
 * The answers above the loaded part of a branch, without loading them into the thread, which shows a page or two.
 * `first`: the first loaded message with its height; `undefined` reads nothing.
 */
export function useEarlierAnswers(
  threadId: string,
  first: { id: string; height: number } | undefined,
): {
  answers: readonly AnswerTexts[];
  isReading: boolean;
  /** Some of them are further above than is read. */
  isCut: boolean;
  /** Reads them again after a failure. */
  retry: (() => void) | undefined;
} {
  const services = useServices();
  const isNeeded = first !== undefined;
  const { data, isFetching, isError, refetch } = useQuery<Earlier>({
    // With another height, messages above were deleted.
    queryKey: [...earlierKey(threadId), first?.id, first?.height],
    enabled: isNeeded,
    staleTime: ({ state }) => (state.data?.isOld === true ? 0 : Infinity),
    // Set before the first render: if the panel had no versions for a moment, it would restart the program in it.
    initialData: () =>
      first === undefined ? undefined : earlierFromCache(services.queries, threadId, first.id),
    queryFn: async ({ signal }) =>
      first === undefined ? empty : await readEarlierAnswers(services, threadId, first.id, signal),
  });
  const { answers, isCut, hasFailed } = (isNeeded ? data : undefined) ?? empty;
  return {
    answers,
    isReading: isNeeded && isFetching,
    isCut,
    retry: isNeeded && (isError || hasFailed) && !isFetching ? () => void refetch() : undefined,
  };
}

const earlierKey = (threadId: string) => ["earlier-answers", threadId] as const;

/** What was read before the person scrolled up, which loaded the last of these messages. */
function earlierFromCache(queries: QueryClient, threadId: string, firstId: string): Earlier | undefined {
  for (const [, earlier] of queries.getQueriesData<Earlier>({ queryKey: earlierKey(threadId) })) {
    const at = earlier?.ids.indexOf(firstId) ?? -1;
    if (earlier === undefined || at === -1) continue;
    const ids = earlier.ids.slice(0, at);
    const above = new Set(ids);
    return {
      ...earlier,
      ids,
      answers: earlier.answers.filter(({ messageId }) => above.has(messageId)),
      isOld: earlier.isCut || earlier.hasFailed,
    };
  }
  return undefined;
}

/** The answers with code above a message, the oldest first. Throws `CallError` if a page of them cannot be read. */
export async function readEarlierAnswers(
  services: Pick<Services, "call" | "queries">,
  threadId: string,
  firstId: string,
  signal: AbortSignal,
): Promise<Earlier> {
  let earlier = empty;
  let before: string | undefined = firstId;
  let hasFailed = false;
  const originalsOf = async (row: BranchMessage) =>
    await readOriginalsOf(services, threadId, row).catch(() => {
      hasFailed = true;
      return undefined;
    });
  for (let page = 0; page < pagesMax && before !== undefined; page++) {
    const query: { before: string; limit: string } = { before, limit: String(limits.branchPage) };
    const { messages, has_more: hasMore } = await services.call(
      "messages.branch",
      { params: { thread_id: threadId }, query },
      signal,
    );
    const answers = messages
      .filter(({ role }) => role === "assistant")
      .map((row) => ({ row, texts: answerTextsOf(row) }))
      .filter(({ texts }) => texts.some((text) => text.includes("```") || text.includes("~~~")))
      .map(async ({ row, texts }): Promise<AnswerTexts> => ({
        messageId: row.id,
        texts,
        originals: await originalsOf(row),
      }));
    earlier = {
      isCut: hasMore,
      hasFailed,
      ids: [...messages.map(({ id }) => id), ...earlier.ids],
      answers: [...(await Promise.all(answers)), ...earlier.answers],
    };
    before = hasMore ? messages[0]?.id : undefined;
  }
  return { ...earlier, hasFailed };
}
