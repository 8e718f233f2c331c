import type { Outgoing } from "./outgoing-message.ts";
import type { SafeStorage } from "../drafts/safe-storage.ts";

const prefix = "parlance.outbox.";
/** 30 days, as long as a sign-in lasts: what is older belongs to nobody any more. */
const keptMs = 30 * 24 * 3_600_000;

/** A day: what was taken out is told to tabs that know it and to requests that are still under way. */
const removedMs = 24 * 3_600_000;

/** What lies there of a run: it on its way, or that a person took it out. */
export type Filed = Outgoing | "removed" | undefined;

/** The outbox on this device, which all tabs share. */
export function createOutboxFile(storage: SafeStorage) {
  function readOne(key: string): Outgoing | undefined {
    const filed = parse(storage.get(key));
    if (filed === undefined) storage.remove(key);
    return filed === "removed" ? undefined : filed;
  }

  return {
    /** What was on its way when the page was closed, oldest first. */
    read(): Outgoing[] {
      const found = storage.keys(prefix).map(readOne);
      return found.filter((out) => out !== undefined).toSorted(byTurn);
    },
    find: (runId: string): Filed => parse(storage.get(prefix + runId)),
    write: (out: Outgoing) => storage.set(prefix + out.runId, JSON.stringify(out)),
    /** The service has it. */
    remove: (runId: string) => storage.remove(prefix + runId),
    /** A person took it out: no tab may send it any more. */
    takeOut: (runId: string) =>
      storage.set(prefix + runId, JSON.stringify({ removedAt: new Date().toISOString() })),
    /** Hears what other tabs do with what is on its way. */
    heardElsewhere: (heard: (runId: string, filed: Filed) => void) =>
      storage.heardElsewhere(prefix, (key, text) => heard(key.slice(prefix.length), parse(text))),
  };
}

/** `undefined` for what is not ours, cut off, or too old: it can never be sent. */
function parse(text: string | undefined): Filed {
  try {
    const found: unknown = JSON.parse(text ?? "null");
    if (isOutgoing(found))
      return isYounger(found.createdAt, keptMs) ? { ...found, state: "sending" } : undefined;
    const removedAt = (found as { removedAt?: unknown } | null)?.removedAt;
    return typeof removedAt === "string" && isYounger(removedAt, removedMs) ? "removed" : undefined;
  } catch {
    return undefined;
  }
}

function isYounger(instant: string, ms: number): boolean {
  return Date.now() - Date.parse(instant) < ms;
}

/** Whether it has what sending it takes: other programs of this origin, or half a write, may have left anything. */
function isOutgoing(out: unknown): out is Outgoing {
  if (typeof out !== "object" || out === null) return false;
  const { runId, threadId, replyId, createdAt, message } = out as Partial<Outgoing>;
  return (
    [runId, threadId, replyId, createdAt].every((text) => typeof text === "string") &&
    (message === undefined || (typeof message?.id === "string" && typeof message.content === "object"))
  );
}

/** In which order they were said. */
export function byTurn(a: Outgoing, b: Outgoing): number {
  return (a.order ?? 0) - (b.order ?? 0) || (a.runId < b.runId ? -1 : 1);
}
