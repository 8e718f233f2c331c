import { createStore, type Store } from "#web/lib/store.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";
import type { OutboxEntry } from "./outbox-entry.ts";
import { createOutboxStorage, compareEntries } from "./outbox-storage.ts";

/** The entries of the outbox in this tab, which are also stored on the device. */
export type OutboxList = {
  all: Pick<Store<readonly OutboxEntry[]>, "get" | "subscribe">;
  find: (runId: string) => OutboxEntry | undefined;
  insert: (entry: OutboxEntry) => void;
  replace: (next: OutboxEntry) => void;
  update: (runId: string, change: Partial<OutboxEntry>) => void;
  /** Takes the content of a message from an entry that another tab has stored. */
  applyEdit: (stored: OutboxEntry) => void;
  /** The server has stored the entry: changes only this tab's list. */
  markStored: (runId: string) => void;
  /** Removes the entry from this tab's list only. */
  drop: (runId: string) => void;
  /** Reads the list from the storage again. Entries of this tab keep their state. */
  reload: () => void;
  /** What all tabs share. */
  storage: ReturnType<typeof createOutboxStorage>;
};

export function createOutboxList(safeStorage: SafeStorage): OutboxList {
  const storage = createOutboxStorage(safeStorage);
  const all = createStore<readonly OutboxEntry[]>(storage.read());
  const find = (runId: string) => all.get().find((entry) => entry.runId === runId);

  function show(next: OutboxEntry): void {
    all.set(all.get().map((entry) => (entry.runId === next.runId ? next : entry)));
  }

  function replace(next: OutboxEntry): void {
    show(next);
    storage.write(next);
  }

  return {
    all,
    storage,
    find,
    replace,
    insert(entry) {
      all.set([...all.get(), entry].toSorted(compareEntries));
      storage.write(entry);
    },
    update(runId, change) {
      const entry = find(runId);
      if (entry !== undefined) replace({ ...entry, ...change });
    },
    applyEdit(stored) {
      const entry = find(stored.runId);
      if (entry === undefined || hasSameMessage(entry, stored)) return;
      const { message, changed } = stored;
      show({ ...entry, ...(message && { message }), ...(changed === true && { changed }) });
    },
    markStored(runId) {
      const entry = find(runId);
      if (entry === undefined) return;
      const { failure: _, ...rest } = entry;
      show({ ...rest, state: "stored" });
    },
    drop: (runId) => all.set(all.get().filter((entry) => entry.runId !== runId)),
    reload: () => all.set(storage.read().map((entry) => find(entry.runId) ?? entry)),
  };
}

export function hasSameMessage(one: OutboxEntry, other: OutboxEntry): boolean {
  return JSON.stringify(one.message) === JSON.stringify(other.message);
}

/** Whether a queued message must wait for an earlier entry of its thread, so that both stay in order. */
export function isBlocked(entries: readonly OutboxEntry[], runId: string): boolean {
  const position = entries.findIndex((entry) => entry.runId === runId);
  const entry = entries[position];
  if (entry?.queue !== true) return false;
  return entries.slice(0, position).some((other) => {
    if (other.threadId !== entry.threadId || other.state === "stored") return false;
    // An entry that cannot be sent blocks only the messages directly below its reply.
    const canBeSent = other.state === "sending" || other.failure?.retry === true;
    return other.replyId === entry.parentId || (other.queue === true && canBeSent);
  });
}
