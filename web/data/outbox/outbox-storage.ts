import type { OutboxEntry } from "./outbox-entry.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";

const prefix = "parlance.outbox.";
/** Messages of temporary threads, which only their tab keeps (`createUnsentStorage`). */
const temporaryPrefix = `${prefix}temporary.`;
/** 30 days, as long as a sign-in lasts. */
const maxAgeMs = 30 * 24 * 3_600_000;

/** A day: long enough for other tabs and for requests in flight to see that the entry was removed. */
const removedMaxAgeMs = 24 * 3_600_000;

/** Errors that end when the person signs in, or sets up a second factor. */
const sessionErrors = new Set([
  "signed-out",
  "not-signed-in",
  "token-expired",
  "invalid-token",
  "anonymous-off",
  "second-factor-required",
  "account-suspended",
]);

/** What is stored for a run: its entry, or that the user removed it. */
export type StoredEntry = OutboxEntry | "removed" | undefined;

/** The outbox in the storage of this device, which all tabs share. */
export function createOutboxStorage(storage: SafeStorage) {
  function readEntry(key: string): OutboxEntry | undefined {
    const stored = parse(storage.get(key));
    if (stored === undefined) storage.remove(key);
    return stored === "removed" ? undefined : stored;
  }

  const keyOf = (runId: string) =>
    storage.get(temporaryPrefix + runId) === undefined ? prefix + runId : temporaryPrefix + runId;

  return {
    /** All entries, in the order in which they were added. Deletes unreadable and outdated ones. */
    read(): OutboxEntry[] {
      const entries = storage.keys(prefix).map(readEntry);
      return entries.filter((entry) => entry !== undefined).toSorted(compareEntries);
    },
    find: (runId: string): StoredEntry => parse(storage.get(keyOf(runId))),
    write(entry: OutboxEntry): void {
      const isTemporary = entry.temporary === true;
      // Its thread may have been kept.
      if (!isTemporary) storage.remove(temporaryPrefix + entry.runId);
      storage.set((isTemporary ? temporaryPrefix : prefix) + entry.runId, JSON.stringify(entry));
    },
    /** The server has stored the entry. */
    remove: (runId: string) => storage.remove(keyOf(runId)),
    /** The user removed the entry: no tab may send it any more. */
    markRemoved: (runId: string) =>
      storage.set(keyOf(runId), JSON.stringify({ removedAt: new Date().toISOString() })),
    subscribeToOtherTabs: (listener: (runId: string, stored: StoredEntry) => void) =>
      storage.subscribeToOtherTabs(prefix, (key, text) => listener(key.slice(prefix.length), parse(text))),
  };
}

/** `undefined` for text that is not an entry, is truncated, or is too old. */
function parse(text: string | undefined): StoredEntry {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    if (isEntry(value))
      return isYounger(value.createdAt, maxAgeMs)
        ? { ...value, state: isFinal(value) ? "failed" : "sending" }
        : undefined;
    const removedAt = (value as { removedAt?: unknown } | null)?.removedAt;
    return typeof removedAt === "string" && isYounger(removedAt, removedMaxAgeMs) ? "removed" : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the server refused the entry itself, so that only the person sends it again. */
function isFinal({ failure }: OutboxEntry): boolean {
  return failure?.retry === false && !sessionErrors.has(failure.code);
}

function isYounger(instant: string, ms: number): boolean {
  return Date.now() - Date.parse(instant) < ms;
}

/** Whether the value has all fields that sending needs: other programs of this origin can write anything there. */
function isEntry(value: unknown): value is OutboxEntry {
  if (typeof value !== "object" || value === null) return false;
  const { runId, threadId, replyId, createdAt, message } = value as Partial<OutboxEntry>;
  return (
    [runId, threadId, replyId, createdAt].every((text) => typeof text === "string") &&
    (message === undefined || (typeof message?.id === "string" && typeof message.content === "object"))
  );
}

/** Compares two entries by the order in which they were added. */
export function compareEntries(a: OutboxEntry, b: OutboxEntry): number {
  return (a.order ?? 0) - (b.order ?? 0) || (a.runId < b.runId ? -1 : 1);
}
