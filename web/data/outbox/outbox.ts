import type { JsonObject } from "#contract/json.ts";
import type { Store } from "#web/lib/store.ts";
import type { Call } from "../call.ts";
import { callFailureOf } from "../failure.ts";
import { createRetryTimers, tooManyRuns, withRetries } from "../retry.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";
import { copyWithNewIds, type OutboxEntry } from "./outbox-entry.ts";
import { createOutboxList, hasSameMessage, isBlocked } from "./outbox-list.ts";
import { createEntrySender, type Started } from "./send-entry.ts";

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
  /** Stops the run; a run that is still being sent, as soon as the server has it. Resolves then. Throws `CallError`. */
  stop: (runId: string) => Promise<void>;
  update: (runId: string, change: Partial<OutboxEntry>) => void;
  /** Removes the entry, in every tab of this browser. */
  remove: (runId: string) => void;
  /** Sends a removed entry again, at its former position and under new ids. */
  restore: (entry: OutboxEntry) => void;
  /** Sends again what failed while there was no connection. Call it when the connection is back. */
  onReconnect: () => void;
  /** Sends again what was refused because too many runs were active. Call it when a run of the user has ended. */
  onRunEnded: () => void;
  /** Reads the storage again: another user is signed in, or entries were inherited. */
  reload: () => void;
};

export function createOutbox(options: {
  call: Call;
  storage: SafeStorage;
  /** The server has stored the entry. Resolves when its rows are read; then the entry is removed. */
  stored: (entry: OutboxEntry) => Promise<void>;
  /** An entry is about to be sent. */
  onSend?: (entry: OutboxEntry) => void;
  /** What the server must have before an entry; requests wait for it. `undefined`: nothing. */
  beforeSend?: (entry: OutboxEntry) => Promise<unknown> | undefined;
  /** The event stream that shows this browser's runs; `undefined` while it is not connected. */
  streamId?: () => string | undefined;
  random?: () => number;
}): Outbox {
  const list = createOutboxList(options.storage);
  const { all, find, replace, update, storage } = list;
  const sender = createEntrySender({ ...options, replace, sync, add: insert, fail });
  /** Runs to stop as soon as the server has them. */
  const toStop = new Map<string, PromiseWithResolvers<void>>();
  const deliveries = new Map<string, AbortController>();
  const retryTimers = createRetryTimers();
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

  function sendStored(): void {
    for (const entry of all.get()) if (entry.state === "sending") void deliver(entry.runId);
  }

  function cancel(runId: string): void {
    deliveries.get(runId)?.abort(new DOMException("The entry is no longer to be sent.", "AbortError"));
    deliveries.delete(runId);
    retryTimers.cancel(runId);
    // The run is never started, so it needs no stop.
    withdrawStop(runId);
  }

  function withdrawStop(runId: string): void {
    toStop.get(runId)?.resolve();
    toStop.delete(runId);
  }

  function deliverThread(threadId: string | undefined): void {
    for (const entry of all.get())
      if (entry.threadId === threadId && entry.state === "sending") void deliver(entry.runId);
  }

  /** Sends again the entries that were refused because too many runs were active: those of one thread, or all. */
  function deliverRefused(threadId?: string): void {
    for (const entry of all.get())
      if (isRefused(entry) && (threadId === undefined || entry.threadId === threadId))
        void deliver(entry.runId);
  }

  async function deliver(runId: string): Promise<void> {
    if (deliveries.has(runId) || isBlocked(all.get(), runId)) return;
    retryTimers.cancel(runId);
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
  async function startWithRetries(runId: string, signal: AbortSignal): Promise<Started | undefined> {
    const { random } = options;
    for (;;) {
      const reconnectsBefore = reconnectCount;
      try {
        const entry = find(runId);
        const before = entry && options.beforeSend?.(entry);
        if (before !== undefined) await before;
        return await withRetries(async () => await sender.start(runId, signal), { signal, random });
      } catch (error) {
        if (signal.aborted) return undefined;
        // The connection came back during the last attempt.
        if (reconnectCount !== reconnectsBefore && callFailureOf(error).code === "network") continue;
        fail(runId, error);
        return undefined;
      }
    }
  }

  /** Marks the entry as failed, and retries it later if that can help. */
  function fail(runId: string, error: unknown): void {
    const failure = callFailureOf(error);
    update(runId, { state: "failed", failure });
    if (failure.retry) retryTimers.start(runId, error, () => retryFailed(runId));
  }

  function retryFailed(runId: string): void {
    const entry = find(runId);
    if (entry === undefined) return;
    // The entry stays marked as failed during the retries, so that the reason stays visible.
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

  async function finish(runId: string, answer: Started): Promise<void> {
    const { reply_id: replyId, runIds } = answer;
    update(runId, { state: "stored", replyId, ...(runIds === undefined ? {} : { runIds }) });
    const entry = find(runId);
    storage.remove(runId);
    deliverThread(entry?.threadId);
    deliverRefused(entry?.threadId);
    await stopIfAsked(runId, runIds);
    if (entry === undefined) unlist(runId);
    else await unlistWhenRead(entry);
  }

  async function finishInOtherTab(entry: OutboxEntry): Promise<void> {
    if (entry.state === "stored") return;
    list.markStored(entry.runId);
    await stopIfAsked(entry.runId, entry.runIds);
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

  /** Sends the stop that waited until the server has the runs. */
  async function stopIfAsked(runId: string, runIds: readonly string[] = [runId]): Promise<void> {
    const stop = toStop.get(runId);
    toStop.delete(runId);
    if (stop !== undefined) await stopRuns(runIds).then(stop.resolve, stop.reject);
  }

  async function stopRuns(runIds: readonly string[]): Promise<void> {
    await Promise.all(runIds.map(async (run_id) => await options.call("runs.stop", { params: { run_id } })));
  }

  storage.subscribeToOtherTabs((runId, stored) => {
    const entry = find(runId);
    if (entry === undefined) return;
    if (stored === "removed") unlist(runId);
    else if (stored === undefined) void finishInOtherTab(entry);
    else list.applyEdit(stored);
  });
  sendStored();

  /** Sends a failed entry again because the person says so, which takes back an earlier stop. */
  function sendAgain(runId: string): void {
    if (find(runId)?.state === "failed") withdrawStop(runId);
    retry(runId);
  }

  return {
    all,
    update,
    retry: sendAgain,
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
      sendAgain(runId);
    },
    async stop(runId) {
      const entry = find(runId);
      if (entry?.state !== "sending") return await stopRuns(entry?.runIds ?? [runId]);
      const stop = toStop.get(runId) ?? Promise.withResolvers<void>();
      toStop.set(runId, stop);
      return await stop.promise;
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
      sendStored();
    },
  };
}

function isRefused({ state, failure }: OutboxEntry): boolean {
  return state === "failed" && failure?.code === tooManyRuns;
}
