import { useCallback, useContext, useMemo, useSyncExternalStore } from "react";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { editedFrom } from "#contract/parts/stored.ts";
import type { BranchMessage } from "#contract/endpoints/messages.ts";
import { CallError } from "../call-error.ts";
import { useServices } from "../provider.tsx";
import { VisibleFactsContext } from "../threads/message-facts-context.ts";
import type { Services } from "../services.ts";
import { answerTextsOf } from "./edit-answer.ts";

/** An answer that was edited by hand, as it is stored. */
export type OriginalAnswer = { messageId: string; texts: readonly string[]; editedFrom: string | undefined };

/** More edits of one answer are not followed: each one is a request. */
const originalsMax = 50;

const none: ReadonlyMap<string, OriginalAnswer[]> = new Map();

/**
 * By the id of each visible answer that was edited by hand: the answers that it was made of, the oldest first. They are
 * not part of the branch, so each is read once. A copy of a branch has none.
 */
export function useOriginalAnswers(threadId: string): {
  originals: ReadonlyMap<string, OriginalAnswer[]>;
  /** Some of them are missing until they are read. Not after a failed attempt, which may be followed by others. */
  isReading: boolean;
  /** Reads again those that could not be read. */
  retry: (() => void) | undefined;
} {
  const { call, queries } = useServices();
  const facts = useContext(VisibleFactsContext);
  const edited = useSyncExternalStore(facts.subscribe, () =>
    [...facts.get()]
      .flatMap(([id, { editedFrom, siblings }]) =>
        editedFrom !== undefined && siblings.includes(editedFrom) ? `${id} ${editedFrom}` : [],
      )
      .join("\n"),
  );
  // Includes the ones just kept: an artifact would otherwise get another identity until the query has read them.
  const kept = useCallback(
    (before = none) =>
      new Map([
        ...before,
        ...pairsIn(edited).map(([id, from]) => [id, keptOriginals(queries, from)] as const),
      ]),
    [queries, edited],
  );
  const { data, isPlaceholderData, isFetching, isError, failureCount, refetch } = useQuery({
    queryKey: ["originals", threadId, edited],
    enabled: edited !== "",
    staleTime: Infinity,
    placeholderData: kept,
    queryFn: async () => {
      const lists = pairsIn(edited).map(
        async ([id, from]) => [id, await readOriginals({ call, queries }, threadId, from)] as const,
      );
      return new Map(await Promise.all(lists));
    },
  });
  const known = useMemo(() => data ?? kept(), [data, kept]);
  if (edited === "") return { originals: none, isReading: false, retry: undefined };
  return {
    originals: known,
    isReading: isPlaceholderData && isFetching && failureCount === 0,
    retry: isError && !isFetching ? () => void refetch() : undefined,
  };
}

/** Keeps an answer that is about to be replaced by an edited one, so that it need not be read. */
export function keepOriginal(queries: QueryClient, row: BranchMessage): void {
  queries.setQueryData(originalKey(row.id), originalOf(row));
}

const pairsIn = (edited: string) => edited.split("\n").map((pair) => pair.split(" ") as [string, string]);

const originalKey = (messageId: string) => ["original", messageId] as const;

/** The answers that this one was made of, the oldest first; `undefined` if it was not edited by hand. */
export async function readOriginalsOf(
  services: Pick<Services, "call" | "queries">,
  threadId: string,
  { content, siblings }: BranchMessage,
): Promise<OriginalAnswer[] | undefined> {
  const from = editedFrom(content);
  // A copy of a branch has none.
  if (from === undefined || !siblings.includes(from)) return undefined;
  return await readOriginals(services, threadId, from);
}

/** As many of the originals as were read or kept. */
function keptOriginals(queries: QueryClient, latestId: string): OriginalAnswer[] {
  const originals: OriginalAnswer[] = [];
  let next: string | undefined = latestId;
  while (next !== undefined && originals.length < originalsMax) {
    const original: OriginalAnswer | null | undefined = queries.getQueryData(originalKey(next));
    if (original === undefined || original === null) break;
    originals.unshift(original);
    next = original.editedFrom;
  }
  return originals;
}

async function readOriginals(
  { call, queries }: Pick<Services, "call" | "queries">,
  threadId: string,
  latestId: string,
): Promise<OriginalAnswer[]> {
  const originals: OriginalAnswer[] = [];
  let next: string | undefined = latestId;
  while (next !== undefined && originals.length < originalsMax) {
    const id: string = next;
    const original: OriginalAnswer | null = await queries.fetchQuery({
      queryKey: originalKey(id),
      // What is stored of an answer changes only while it is written, also for a device that missed changes.
      staleTime: "static",
      queryFn: async ({ signal }) => {
        const query = { last: id, limit: "1" };
        const page = await call("messages.branch", { params: { thread_id: threadId }, query }, signal).catch(
          (error: unknown) => {
            if (error instanceof CallError && error.status === 404) return undefined;
            throw error;
          },
        );
        // It may be deleted.
        const row = page?.messages.at(-1);
        return row === undefined ? null : originalOf(row);
      },
    });
    if (original === null) break;
    originals.unshift(original);
    next = original.editedFrom;
  }
  return originals;
}

function originalOf(row: BranchMessage): OriginalAnswer {
  return { messageId: row.id, texts: answerTextsOf(row), editedFrom: editedFrom(row.content) };
}
