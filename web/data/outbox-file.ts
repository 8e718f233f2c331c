import type { Outgoing } from "./outgoing.ts";
import type { SafeStorage } from "./safe-storage.ts";

const prefix = "parlance.outbox.";
/** 30 days, as long as a sign-in lasts: what is older belongs to nobody any more. */
const keptMs = 30 * 24 * 3_600_000;

/** The outbox on this device. */
export function createOutboxFile(storage: SafeStorage) {
  function readOne(key: string): Outgoing | undefined {
    try {
      const out: unknown = JSON.parse(storage.get(key) ?? "null");
      if (isOutgoing(out) && Date.now() - Date.parse(out.createdAt) < keptMs)
        return { ...out, state: "sending" };
    } catch {
      // Not ours, or cut off: it can never be sent.
    }
    storage.remove(key);
    return undefined;
  }

  return {
    /** What was on its way when the page was closed, oldest first. */
    read(): Outgoing[] {
      const found = storage.keys(prefix).map(readOne);
      return found.filter((out) => out !== undefined).toSorted(byTurn);
    },
    write: (out: Outgoing) => storage.set(prefix + out.runId, JSON.stringify(out)),
    remove: (runId: string) => storage.remove(prefix + runId),
  };
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

function byTurn(a: Outgoing, b: Outgoing): number {
  return (a.order ?? 0) - (b.order ?? 0) || (a.runId < b.runId ? -1 : 1);
}
