import { newId } from "#contract/ids.ts";

/**
 * The runs that this process executes. Only their leases are renewed, so that the reaper finds a run that was given up
 * for any reason, like one whose process died.
 */
export type Leases = {
  /** The name of this process in the leases of its runs. */
  readonly owner: string;
  /** Adds a run. Call the result when this process no longer executes it. */
  hold(runId: string): () => void;
  held(): string[];
  anyHeld(): boolean;
};

export function createLeases(): Leases {
  // One symbol per holder: a run may be resumed before its previous execution has released it.
  const holders = new Map<symbol, string>();
  return {
    owner: newId("request"),
    hold(runId) {
      const holder = Symbol(runId);
      holders.set(holder, runId);
      return () => void holders.delete(holder);
    },
    held: () => [...new Set(holders.values())],
    anyHeld: () => holders.size > 0,
  };
}
