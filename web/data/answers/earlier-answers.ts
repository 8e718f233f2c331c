import { type QueryClient, useQuery } from "@tanstack/react-query";
import { limits } from "#contract/limits.ts";
import { useServices } from "../provider.tsx";
import type { Services } from "../services.ts";
import { textsOf } from "./edit-answer.ts";

type AnswerTexts = { messageId: string; texts: readonly string[] };
/** All messages of some pages, and the texts of those that are answers with code, the oldest first. */
type Earlier = { ids: readonly string[]; answers: readonly AnswerTexts[] };

/** 2,000 messages. */
const pagesMax = 20;

const none: readonly AnswerTexts[] = [];

/**
 * The answers above the loaded part of a branch, without loading them into the thread, which shows a page or two.
 * `first`: the first loaded message with its height; `undefined` reads nothing.
 */
export function useEarlierAnswers(
  threadId: string,
  first: { id: string; height: number } | undefined,
): { answers: readonly AnswerTexts[]; isReading: boolean } {
  const services = useServices();
  const isNeeded = first !== undefined;
  const { data, isFetching } = useQuery({
    // With another height, messages above were deleted.
    queryKey: [...earlierKey(threadId), first?.id, first?.height],
    enabled: isNeeded,
    staleTime: Infinity,
    // At once: without its versions for a moment, the panel would begin again with what runs in it.
    initialData: () => (first === undefined ? undefined : known(services.queries, threadId, first.id)),
    queryFn: async ({ signal }) =>
      first === undefined ? { ids: [], answers: [] } : await read(services, threadId, first.id, signal),
  });
  return { answers: (isNeeded ? data?.answers : undefined) ?? none, isReading: isNeeded && isFetching };
}

const earlierKey = (threadId: string) => ["earlier-answers", threadId] as const;

/** What was read before the person scrolled up, which loaded the last of these messages. */
function known(queries: QueryClient, threadId: string, firstId: string): Earlier | undefined {
  for (const [, earlier] of queries.getQueriesData<Earlier>({ queryKey: earlierKey(threadId) })) {
    const at = earlier?.ids.indexOf(firstId) ?? -1;
    if (earlier === undefined || at === -1) continue;
    const ids = earlier.ids.slice(0, at);
    const above = new Set(ids);
    return { ids, answers: earlier.answers.filter(({ messageId }) => above.has(messageId)) };
  }
  return undefined;
}

async function read(
  { call }: Pick<Services, "call">,
  threadId: string,
  firstId: string,
  signal: AbortSignal,
): Promise<Earlier> {
  let earlier: Earlier = { ids: [], answers: [] };
  let before: string | undefined = firstId;
  for (let page = 0; page < pagesMax && before !== undefined; page++) {
    const query: { before: string; limit: string } = { before, limit: String(limits.branchPage) };
    const { messages, has_more: hasMore } = await call(
      "messages.branch",
      { params: { thread_id: threadId }, query },
      signal,
    );
    const answers = messages
      .filter(({ role }) => role === "assistant")
      .map((row) => ({ messageId: row.id, texts: textsOf(row) }))
      .filter(({ texts }) => texts.some((text) => text.includes("```") || text.includes("~~~")));
    earlier = {
      ids: [...messages.map(({ id }) => id), ...earlier.ids],
      answers: [...answers, ...earlier.answers],
    };
    before = hasMore ? messages[0]?.id : undefined;
  }
  return earlier;
}
