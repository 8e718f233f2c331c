import type { QueryClient } from "@tanstack/react-query";
import type { AssistantList } from "#contract/endpoints/assistants.ts";
import type { Change } from "#contract/changes.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import { branchKey, comparisonsKey } from "../threads/branch-rows.ts";
import { labelsChanged } from "../labels/labels-changed.ts";
import { assistantsKey, filesKey, listKey, searchKey, versionsKey } from "../query-keys.ts";
import { threadKey, threadListKey, threadListsKey, threadsKey, trashKey } from "../threads/thread-list.ts";
import { showTyping, stopTyping } from "../shares/typing.ts";
import { cachedKinds, removeThread, putThread } from "../threads/thread-cache.ts";

/** 10 ms: the changes of one transaction arrive together. */
const batchMs = 10;
/** 250 ms: the page shows what it sends itself, and the first words of the answer are more urgent than its thread's changes. */
const ownMessageMs = 250;
/** 250 ms: fast enough for a second tab, slow enough for an import that writes hundreds of rows into a long branch. */
const refreshIntervalMs = 250;
/** 1 s: a search costs more than a branch, and all its pages are read again. */
const searchIntervalMs = 1_000;

/**
 * Applies the changes of the feed to the query cache. Threads are updated in place. A changed branch is read again: once
 * for all changes that arrive together, and at most four times a second during a long series of changes such as an
 * import. The visible search results are read again at most once a second.
 */
export function createChangeApplier(options: {
  queries: QueryClient;
  userId: () => string | undefined;
  /** Whether this browser is sending a message to the thread, or has just sent one. */
  isSending?: (threadId: string) => boolean;
}) {
  const { queries, isSending = () => false } = options;
  const scheduled = new Set<string>();
  /** Threads to which this browser sends a message, by id: their newest state, and the cached one that is shown meanwhile. */
  const postponed = new Map<string, { latest: Thread; shown: Thread; userId: string | undefined }>();
  const lastReadMs = new Map<string, number>();

  function refresh(queryKey: readonly string[], everyMs = refreshIntervalMs, afterMs = batchMs): void {
    const name = queryKey.join(" ");
    if (scheduled.has(name)) return;
    scheduled.add(name);
    // `performance.now` does not change when the system clock is set.
    const sinceMs = performance.now() - (lastReadMs.get(name) ?? Number.NEGATIVE_INFINITY);
    setTimeout(
      () => {
        scheduled.delete(name);
        lastReadMs.set(name, performance.now());
        // A request in flight may have read the rows before this change. Only those of a shown query are repeated.
        if (queries.isFetching({ queryKey, type: "inactive" }) > 0) refresh(queryKey, everyMs, afterMs);
        void queries.invalidateQueries({ queryKey });
      },
      Math.max(afterMs, everyMs - sinceMs),
    );
  }

  const refreshBranch = (threadId: string) => {
    refresh(branchKey(threadId), refreshIntervalMs, isSending(threadId) ? ownMessageMs : batchMs);
    refresh(comparisonsKey(threadId));
    refresh(versionsKey(threadId));
  };

  /** A list request in flight may have read the rows before this change; its response would overwrite the change. */
  function refreshListsInFlight(): void {
    for (const kind of cachedKinds(queries))
      if (queries.isFetching({ queryKey: threadListKey(kind) }) > 0) refresh(threadListKey(kind));
  }

  /** Whether the thread uses an assistant that was created on another device after this one read the list. */
  function hasUnknownAssistant({ assistant_id: id }: Thread): boolean {
    const known = queries.getQueryData<AssistantList>(assistantsKey)?.assistants;
    return id !== null && known?.every((one) => one.id !== id) === true;
  }

  function putNow(thread: Thread): void {
    putThread(queries, thread);
    refreshListsInFlight();
  }

  function put(thread: Thread): void {
    const { id } = thread;
    const cached = () => queries.getQueryData<Thread>(threadKey(id));
    const waiting = postponed.get(id);
    if (!isSending(id)) {
      postponed.delete(id);
      return putNow(thread);
    }
    if (waiting !== undefined) {
      waiting.latest = thread;
      return;
    }
    if (cached() === undefined) queries.setQueryData<Thread>(threadKey(id), thread);
    postponed.set(id, { latest: thread, shown: cached()!, userId: options.userId() });
    setTimeout(() => {
      const { latest, shown, userId } = postponed.get(id) ?? {};
      postponed.delete(id);
      if (latest === undefined || userId !== options.userId()) return;
      if (cached() === shown) return putNow(latest);
      // It was changed or read meanwhile, and may be newer.
      refresh(threadKey(id));
      refresh(threadListsKey);
    }, ownMessageMs);
  }

  return function apply(change: Change): void {
    if (affectsSearch.has(change.type)) refresh(searchKey, searchIntervalMs);
    switch (change.type) {
      case "thread-put":
        refresh(trashKey);
        if (hasUnknownAssistant(change.thread)) refresh(assistantsKey);
        return put(change.thread);
      case "thread-gone":
        refresh(trashKey);
        postponed.delete(change.thread_id);
        removeThread(queries, change.thread_id);
        return refreshListsInFlight();
      case "labels-put":
        labelsChanged.set(true);
        refresh(threadsKey);
        refresh(threadListsKey);
        return refresh(listKey(change.type));
      case "files-put":
        if (change.user_id === options.userId()) refresh(filesKey);
        return;
      case "head-put":
      case "feedback-put":
        // Each user has their own visible branch and their own feedback.
        if (change.user_id === options.userId()) refreshBranch(change.thread_id);
        return;
      case "typing-put":
        if (change.user_id !== options.userId()) showTyping(change);
        return;
      case "message-put":
        stopTyping(change.thread_id);
        return refreshBranch(change.thread_id);
      case "messages-gone":
      case "queue-put":
      case "summary-put":
      case "run-put":
        return refreshBranch(change.thread_id);
      default:
        return refresh(listKey(change.type));
    }
  };
}

const affectsSearch: ReadonlySet<Change["type"]> = new Set([
  "thread-put",
  "thread-gone",
  "message-put",
  "messages-gone",
  "run-put",
  "files-put",
  "labels-put",
]);
