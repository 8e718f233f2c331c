import type { JsonObject } from "#contract/json.ts";
import type { RunStarted } from "#contract/endpoints/runs.ts";
import type { Store } from "#web/lib/store.ts";
import type { Call } from "../call.ts";
import { failureOf } from "../failure.ts";
import { tooManyRuns, waitToRetryLater, withRetries } from "../retry.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";
import { copyWithNewIds, type OutboxEntry } from "./outbox-entry.ts";
import { createOutboxList, hasSameMessage, isBlocked } from "./outbox-list.ts";
import { createEntrySender } from "./send-entry.ts";

/**
 * The messages and regenerations that the server has not stored yet. They are kept on this device: a failed one stays,
 * is retried when the connection is back, and survives a reload.
 */
export type Outbox = {
  all: Pick<Store<readonly OutboxEntry[]>, "get" | "subscribe">;
  /** Shows the entry at once and sends it. */
  add: (entry: OutboxEntry) => void;
  /** Sends a failed entry again. */
  retry: (runId: string) => void;
  /** Changes the content of a queued message that is being sent, has failed, or has just been stored. */
  edit: (runId: string, content: JsonObject) => void;
  /** Stops the run; a run that is still being sent is stopped as soon as the server has it. Throws `CallError`. */
  stop: (runId: string) => Promise<void>;
  update: (runId: string, change: Partial<OutboxEntry>) => void;
  /** Removes the entry, in every tab of this browser. */
  remove: (runId: string) => void;
  /** Sends a removed entry again, at its former position and under new ids. */
  restore: (entry: OutboxEntry) => void;
  /** The connection is back: sends again what failed without it. */
  onReconnect: () => void;
  /** A run of the user has ended: sends again what was refused because too many were active. */
  onRunEnded: () => void;
  /** Another user is signed in, or entries were inherited: continues with what the storage has now. */
  reload: () => void;
};

export function createOutbox(options: {
  call: Call;
  storage: SafeStorage;
  /** The server has stored the entry. Resolves when its rows are read; then the entry is removed. */
  stored: (entry: OutboxEntry) => Promise<void>;
  /** An entry is about to be sent. */
  onSend?: (entry: OutboxEntry) => void;
  /** The event stream that shows this browser's runs; `undefined` while it is not connected. */
  streamId?: () => string | undefined;
  random?: () => number;
}): Outbox {
  const list = createOutboxList(options.storage);
  const { all, find, replace, update, storage } = list;
  const sender = createEntrySender({ ...options, replace, sync, add: insert, fail });
  /** Runs to stop as soon as the server has them. */
  const toStop = new Set<string>();
  const deliveries = new Map<string, AbortController>();
  let reconnectCount = 0;

  function insert(entry: OutboxEntry): void {
    list.insert(entry);
    options.onSend?.(entry);
    void deliver(entry.runId);
  }

  /** Applies what another tab did with the entry: removed it or edited it. */
  function sync(runId: string): OutboxEntry | undefined {
    const stored = storage.find(runId);
    if (stored === "removed") unlist(runId);
    else if (stored !== undefined) list.applyEdit(stored);
    return find(runId);
  }

  /** Removes the entry from this tab's list; the storage stays as it is. */
  function unlist(runId: string): void {
    const threadId = find(runId)?.threadId;
    cancel(runId);
    list.drop(runId);
    deliverThread(threadId);
    deliverRefused(threadId);
  }

  function cancel(runId: string): void {
    deliveries.get(runId)?.abort(new DOMException("The entry is no longer to be sent.", "AbortError"));
    deliveries.delete(runId);
  }

  function deliverThread(threadId: string | undefined): void {
    for (const entry of all.get())
      if (entry.threadId === threadId && entry.state === "sending") void deliver(entry.runId);
  }

  /** Sends again what was refused because too many runs were active: of one thread, or of all. */
  function deliverRefused(threadId?: string): void {
    for (const entry of all.get())
      if (isRefused(entry) && (threadId === undefined || entry.threadId === threadId))
        void deliver(entry.runId);
  }

  async function deliver(runId: string): Promise<void> {
    if (deliveries.has(runId) || isBlocked(all.get(), runId)) return;
    const delivery = new AbortController();
    const { signal } = delivery;
    deliveries.set(runId, delivery);
    try {
      const answer = await startWithRetries(runId, signal);
      if (signal.aborted) return;
      if (answer !== undefined) await finish(runId, answer);
      else deliverThread(find(runId)?.threadId);
    } finally {
      if (deliveries.get(runId) === delivery) deliveries.delete(runId);
    }
  }

  /** Returns the server's answer, or `undefined` if the entry failed or was removed. */
  async function startWithRetries(runId: string, signal: AbortSignal): Promise<RunStarted | undefined> {
    const { random } = options;
    for (;;) {
      const reconnectsBefore = reconnectCount;
      try {
        return await withRetries(async () => await sender.start(runId, signal), { signal, random });
      } catch (error) {
        if (signal.aborted) return undefined;
        // The connection came back during the last attempt.
        if (reconnectCount !== reconnectsBefore && failureOf(error).code === "network") continue;
        fail(runId, error);
        return undefined;
      }
    }
  }

  /** Marks the entry as failed, and retries it later if that can help. */
  function fail(runId: string, error: unknown): void {
    const failure = failureOf(error);
    update(runId, { state: "failed", failure });
    if (failure.retry) void retryLater(runId, error);
  }

  async function retryLater(runId: string, error: unknown): Promise<void> {
    await waitToRetryLater(error);
    const entry = find(runId);
    if (entry === undefined) return;
    // It stays marked as failed during the retries, so that the reason stays visible.
    if (isRefused(entry)) void deliver(runId);
    else retry(runId);
  }

  function retry(runId: string): void {
    const entry = find(runId);
    if (entry?.state !== "failed") return;
    const { failure: _, ...rest } = entry;
    replace({ ...rest, state: "sending" });
    void deliver(runId);
  }

  async function finish(runId: string, answer: RunStarted): Promise<void> {
    update(runId, { state: "stored", replyId: answer.reply_id });
    const entry = find(runId);
    storage.remove(runId);
    deliverThread(entry?.threadId);
    deliverRefused(entry?.threadId);
    if (toStop.delete(runId)) await stopRun(runId).catch(() => {});
    if (entry === undefined) unlist(runId);
    else await unlistWhenRead(entry);
  }

  async function finishInOtherTab(entry: OutboxEntry): Promise<void> {
    if (entry.state === "stored") return;
    list.markStored(entry.runId);
    cancel(entry.runId);
    await unlistWhenRead(entry);
  }

  /** Removes the entry from the list when its rows are read; sends an edit that was made until then. */
  async function unlistWhenRead(entry: OutboxEntry): Promise<void> {
    await options.stored(entry);
    const latest = find(entry.runId);
    if (latest === undefined || hasSameMessage(latest, entry)) return unlist(entry.runId);
    const answer = await sender.edit(latest);
    if (answer !== undefined) await finish(entry.runId, answer);
  }

  async function stopRun(runId: string): Promise<void> {
    await options.call("runs.stop", { params: { run_id: runId } });
  }

  storage.subscribeToOtherTabs((runId, stored) => {
    const entry = find(runId);
    if (entry === undefined) return;
    if (stored === "removed") unlist(runId);
    else if (stored === undefined) void finishInOtherTab(entry);
    else list.applyEdit(stored);
  });
  for (const entry of all.get()) void deliver(entry.runId);

  return {
    all,
    update,
    retry,
    add: (entry) => insert({ ...entry, order: (all.get().at(-1)?.order ?? 0) + 1 }),
    restore: (removed) => insert(copyWithNewIds(removed)),
    remove(runId) {
      storage.markRemoved(runId);
      unlist(runId);
    },
    edit(runId, content) {
      const entry = find(runId);
      if (entry?.message === undefined) return;
      update(runId, { message: { ...entry.message, content }, changed: true });
      retry(runId);
    },
    async stop(runId) {
      if (find(runId)?.state === "sending") toStop.add(runId);
      else await stopRun(runId);
    },
    onReconnect() {
      reconnectCount++;
      for (const entry of all.get()) if (entry.failure?.retry === true) retry(entry.runId);
    },
    onRunEnded: () => deliverRefused(),
    reload() {
      const before = all.get();
      list.reload();
      for (const { runId } of before) if (find(runId) === undefined) cancel(runId);
      for (const entry of all.get()) if (entry.state === "sending") void deliver(entry.runId);
    },
  };
}

function isRefused({ state, failure }: OutboxEntry): boolean {
  return state === "failed" && failure?.code === tooManyRuns;
}
