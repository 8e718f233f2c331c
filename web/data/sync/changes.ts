import type { QueryClient } from "@tanstack/react-query";
import type { AssistantList } from "#contract/endpoints/assistants.ts";
import type { Change } from "#contract/changes.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import { branchKey } from "../threads/branch-rows.ts";
import { assistantsKey } from "../assistants/assistant-list.ts";
import { libraryKey } from "../library/library-key.ts";
import { searchKey } from "../search/search-key.ts";
import { threadListKey, trashKey } from "../threads/thread-list.ts";
import { dropThread, listKinds, putThread } from "../threads/thread-cache.ts";

/** 10 ms: the changes of one transaction arrive together. */
const togetherMs = 10;
/** 250 ms: soon enough for another tab, and seldom enough for a long branch that somebody writes hundreds of rows into. */
const againMs = 250;
/** 1 s: a search costs more than a branch, and all its pages are read anew. */
const searchAgainMs = 1_000;

/**
 * Makes what the feed tells visible: threads are put in their place; a branch of which something changed is read anew,
 * once for all changes that come together, and a few times a second while they do not end (an import, say); what a search
 * that is shown has found likewise, once a second.
 */
export function createChangeApplier(options: { queries: QueryClient; userId: () => string | undefined }) {
  const { queries } = options;
  const waiting = new Set<string>();
  const readAtMs = new Map<string, number>();

  function refresh(queryKey: readonly string[], everyMs = againMs): void {
    const name = queryKey.join(" ");
    if (waiting.has(name)) return;
    waiting.add(name);
    // By the clock that nobody sets.
    const sinceMs = performance.now() - (readAtMs.get(name) ?? Number.NEGATIVE_INFINITY);
    setTimeout(
      () => {
        waiting.delete(name);
        readAtMs.set(name, performance.now());
        void queries.invalidateQueries({ queryKey });
      },
      Math.max(togetherMs, everyMs - sinceMs),
    );
  }

  const refreshBranch = (threadId: string) => refresh(branchKey(threadId));

  /** A list that is on its way may have been read before this change, and would put away what the change has put. */
  function readAgainWhatIsBeingRead(): void {
    for (const kind of listKinds)
      if (queries.isFetching({ queryKey: threadListKey(kind) }) > 0) refresh(threadListKey(kind));
  }

  /** Chosen on another device, where its owner has made it since this one looked. */
  function isNewAssistant({ assistant_id: id }: Thread): boolean {
    const known = queries.getQueryData<AssistantList>(assistantsKey)?.assistants;
    return id !== null && known?.every((one) => one.id !== id) === true;
  }

  return function apply(change: Change): void {
    if (isFound.has(change.type)) refresh(searchKey, searchAgainMs);
    switch (change.type) {
      case "thread-put":
        refresh(trashKey);
        if (isNewAssistant(change.thread)) refresh(assistantsKey);
        putThread(queries, change.thread);
        return readAgainWhatIsBeingRead();
      case "thread-gone":
        refresh(trashKey);
        dropThread(queries, change.thread_id);
        return readAgainWhatIsBeingRead();
      case "assistants-put":
        return refresh(assistantsKey);
      case "files-put":
        if (change.user_id === options.userId()) refresh(libraryKey);
        return;
      case "head-put":
      case "feedback-put":
        // Each person looks at their own branch, and at their own thumbs.
        if (change.user_id === options.userId()) refreshBranch(change.thread_id);
        return;
      case "message-put":
      case "messages-gone":
      case "queue-put":
      case "run-put":
        return refreshBranch(change.thread_id);
    }
  };
}

/** What changes what is found. */
const isFound: ReadonlySet<Change["type"]> = new Set([
  "thread-put",
  "thread-gone",
  "message-put",
  "messages-gone",
  "run-put",
  "files-put",
]);
