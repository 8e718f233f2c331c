import type { JsonObject } from "#contract/json.ts";
import type { RunStarted } from "#contract/endpoints/runs.ts";
import { createStore, type Store } from "#web/lib/store.ts";
import type { Call } from "../call.ts";
import { failureOf } from "../failure.ts";
import { tooManyRuns, waitToRetryLater, withRetries } from "../retry.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";
import { createOutboxStorage, inOrder } from "./outbox-storage.ts";
import { copyWithNewIds, requestOf, type OutboxEntry } from "./outbox-entry.ts";

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
  const storage = createOutboxStorage(options.storage);
  const all = createStore<readonly OutboxEntry[]>(storage.read());
  /** Runs to stop as soon as the server has them. */
  const toStop = new Set<string>();
  const deliveries = new Map<string, AbortController>();
  let reconnectCount = 0;

  const find = (runId: string) => all.get().find((entry) => entry.runId === runId);

  function insert(entry: OutboxEntry): void {
    all.set([...all.get(), entry].toSorted(inOrder));
    storage.write(entry);
    options.onSend?.(entry);
    void deliver(entry.runId);
  }

  function replace(next: OutboxEntry): void {
    all.set(all.get().map((entry) => (entry.runId === next.runId ? next : entry)));
    storage.write(next);
  }

  function update(runId: string, change: Partial<OutboxEntry>): void {
    const entry = find(runId);
    if (entry !== undefined) replace({ ...entry, ...change });
  }

  /** Removes the entry from this tab's list; the storage stays as it is. */
  function unlist(runId: string): void {
    const threadId = find(runId)?.threadId;
    cancel(runId);
    all.set(all.get().filter((entry) => entry.runId !== runId));
    deliverThread(threadId);
    deliverRefused(threadId);
  }

  function cancel(runId: string): void {
    deliveries.get(runId)?.abort(new DOMException("The entry is no longer to be sent.", "AbortError"));
    deliveries.delete(runId);
  }

  /** Whether a queued message must wait for an earlier entry of its thread, so that both stay in order. */
  function isBlocked(runId: string): boolean {
    const entry = find(runId);
    if (entry?.queue !== true) return false;
    const earlier = all.get().slice(0, all.get().indexOf(entry));
    return earlier.some((other) => {
      if (other.threadId !== entry.threadId || other.state === "stored") return false;
      // An entry that cannot be sent blocks only the messages directly below its reply.
      const canBeSent = other.state === "sending" || other.failure?.retry === true;
      return other.replyId === entry.parentId || (other.queue === true && canBeSent);
    });
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
    if (deliveries.has(runId) || isBlocked(runId)) return;
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
        return await withRetries(async () => await startRun(runId, signal), { signal, random });
      } catch (error) {
        if (signal.aborted) return undefined;
        // The connection came back during the last attempt.
        if (reconnectCount !== reconnectsBefore && failureOf(error).code === "network") continue;
        fail(runId, error);
        return undefined;
      }
    }
  }

  async function startRun(runId: string, signal: AbortSignal): Promise<RunStarted | undefined> {
    const entry = signal.aborted ? undefined : syncWithStorage(runId);
    if (entry === undefined) return undefined;
    let answer: RunStarted;
    try {
      const params = { thread_id: entry.threadId };
      const body = requestOf(entry, options.streamId?.());
      answer = await options.call("runs.start", { params, body }, signal);
    } catch (error) {
      const { code } = failureOf(error);
      if (signal.aborted) return undefined;
      if (isMissingChoice(code) && (entry.assistantId ?? entry.model) != null) {
        // The chosen assistant or model was removed meanwhile: send the message to the thread's default.
        const { assistantId: _, model: __, ...withoutChoice } = find(runId) ?? entry;
        replace(withoutChoice);
        return await startRun(runId, signal);
      }
      // The server has stored the first version of this message.
      if (code === "conflict" && entry.changed === true) return await sendEdit(entry, signal);
      throw error;
    }
    return await sendLaterEdit(entry, answer, signal);
  }

  /** The server has stored `sent`. If the message was edited meanwhile, sends the edit. */
  async function sendLaterEdit(
    sent: OutboxEntry,
    answer: RunStarted,
    signal?: AbortSignal,
  ): Promise<RunStarted | undefined> {
    const entry = signal?.aborted === true ? undefined : syncWithStorage(sent.runId);
    if (entry === undefined || isSame(entry.message, sent.message)) return entry && answer;
    return await sendEdit(entry, signal);
  }

  /** Changes the content of a message that is in the server's queue. Returns `undefined` if that failed. */
  async function sendEdit(entry: OutboxEntry, signal?: AbortSignal): Promise<RunStarted | undefined> {
    const { runId, replyId, threadId, message } = entry;
    if (message === undefined) return undefined;
    const answer = { run_id: runId, message_id: message.id, reply_id: replyId };
    try {
      await options.call("queue.update", {
        params: { thread_id: threadId, queued_id: message.id },
        body: { content: message.content },
      });
    } catch (error) {
      const latest = signal?.aborted === true ? undefined : syncWithStorage(runId);
      if (latest === undefined) return undefined;
      if (failureOf(error).code === "queued-not-found") {
        // The first version left the queue meanwhile: send the edit as the next message.
        insert({ ...copyWithNewIds(latest), parentId: replyId });
        return answer;
      }
      fail(runId, error);
      return undefined;
    }
    return await sendLaterEdit(entry, answer, signal);
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
    const { failure: _, ...rest } = entry;
    all.set(all.get().map((other) => (other === entry ? { ...rest, state: "stored" } : other)));
    cancel(entry.runId);
    await unlistWhenRead(entry);
  }

  /** Removes the entry from the list when its rows are read; sends an edit that was made until then. */
  async function unlistWhenRead(entry: OutboxEntry): Promise<void> {
    await options.stored(entry);
    const latest = find(entry.runId);
    if (latest === undefined || isSame(latest.message, entry.message)) return unlist(entry.runId);
    const answer = await sendEdit(latest);
    if (answer !== undefined) await finish(entry.runId, answer);
  }

  async function stopRun(runId: string): Promise<void> {
    await options.call("runs.stop", { params: { run_id: runId } });
  }

  /** Applies what another tab did with the entry: removed it or edited it. */
  function syncWithStorage(runId: string): OutboxEntry | undefined {
    const stored = storage.find(runId);
    if (stored === "removed") unlist(runId);
    else if (stored !== undefined) applyEdit(stored);
    return find(runId);
  }

  function applyEdit({ runId, message, changed }: OutboxEntry): void {
    const entry = find(runId);
    if (entry === undefined || isSame(entry.message, message)) return;
    const next = { ...entry, ...(message && { message }), ...(changed === true && { changed }) };
    all.set(all.get().map((other) => (other === entry ? next : other)));
  }

  storage.subscribeToOtherTabs((runId, stored) => {
    const entry = find(runId);
    if (entry === undefined) return;
    if (stored === "removed") unlist(runId);
    else if (stored === undefined) void finishInOtherTab(entry);
    else applyEdit(stored);
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
      const stored = storage.read();
      for (const { runId } of all.get()) if (!stored.some((entry) => entry.runId === runId)) cancel(runId);
      all.set(stored.map((entry) => find(entry.runId) ?? entry));
      for (const entry of all.get()) if (entry.state === "sending") void deliver(entry.runId);
    },
  };
}

function isRefused({ state, failure }: OutboxEntry): boolean {
  return state === "failed" && failure?.code === tooManyRuns;
}

function isMissingChoice(code: string): boolean {
  return code === "assistant-not-found" || code === "model-not-found";
}

function isSame(one: OutboxEntry["message"], other: OutboxEntry["message"]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
