import { newId } from "#contract/ids.ts";

/**
 * The leases of this process: which runs it carries now. Only these are renewed, so that a run which was given up for
 * whatever reason is found by the reaper like one whose process died.
 */
export type Leases = {
  /** Stands in the rows of our runs. */
  readonly owner: string;
  /** From now on we carry the run; call what is answered when we no longer do. */
  hold(runId: string): () => void;
  held(): string[];
  /** Whether we carry any run now. */
  anyHeld(): boolean;
};

export function createLeases(): Leases {
  // By who holds it: a run may be taken up again before whoever carried it last has let go.
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
