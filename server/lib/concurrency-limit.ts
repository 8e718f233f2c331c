import type { ErrorCode } from "#contract/errors.ts";
import { AppError } from "./errors.ts";
import type { RequestFacts, Visitor } from "./route.ts";

/** What may be under way at once: for one visitor, and for one network address. */
export type Most = { perVisitor: number; perAddress: number };

/** Whoever something is under way for. */
export type Counted = Pick<Visitor, "kind" | "workspaceId" | "userId">;

/** Counts, in this process, what is under way for whom. */
export type Slots = {
  /**
   * Takes a place for the visitor and one for their address; the answered function gives them back, once. Throws
   * `code` where either has too many. An API key is the operator's own, and is not counted.
   */
  take(visitor: Counted | undefined, request: Pick<RequestFacts, "limitKey">): () => void;
};

/** Asking again sooner is of little use: what is under way lasts for seconds at least. */
const retryAfterSeconds = 5;

export function createSlots(code: ErrorCode, most: Most): Slots {
  const taken = new Map<string, number>();

  function change(key: string, by: number): void {
    const count = (taken.get(key) ?? 0) + by;
    if (count > 0) taken.set(key, count);
    else taken.delete(key);
  }

  return {
    take(visitor, { limitKey }) {
      if (visitor?.kind === "key") return () => {};
      const own = visitor === undefined ? undefined : `visitor ${visitor.workspaceId} ${visitor.userId}`;
      const wanted = new Map([[`address ${limitKey}`, most.perAddress]]);
      if (own !== undefined) wanted.set(own, most.perVisitor);
      for (const [key, max] of wanted)
        if ((taken.get(key) ?? 0) >= max) throw new AppError(code, { retryAfterSeconds });
      for (const key of wanted.keys()) change(key, 1);
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        for (const key of wanted.keys()) change(key, -1);
      };
    },
  };
}

export { retryAfterSeconds as slotRetrySeconds };
