import type { Outgoing } from "./outgoing.ts";
import type { SafeStorage } from "./safe-storage.ts";

const prefix = "parlance.outbox.";
/** 30 days, as long as a sign-in lasts: what is older belongs to nobody any more. */
const keptMs = 30 * 24 * 3_600_000;

/** The outbox on this device. */
export function createOutboxFile(storage: SafeStorage) {
  function readOne(key: string): Outgoing | undefined {
    try {
      const out = JSON.parse(storage.get(key) ?? "null") as Outgoing | null;
      if (out !== null && Date.now() - Date.parse(out.createdAt) < keptMs)
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
      return found.filter((out) => out !== undefined).toSorted((a, b) => (a.runId < b.runId ? -1 : 1));
    },
    write: (out: Outgoing) => storage.set(prefix + out.runId, JSON.stringify(out)),
    remove: (runId: string) => storage.remove(prefix + runId),
  };
}
