import type { ErrorCode } from "#contract/errors.ts";
import { AppError } from "./errors.ts";
import type { RequestFacts, Visitor } from "./route.ts";

/** How many operations can run at the same time. */
export type ConcurrencyLimit = { perVisitor: number; perAddress: number };

/** The visitor that an operation runs for. */
export type Counted = Pick<Visitor, "kind" | "workspaceId" | "userId">;

/** Limits the operations that run at the same time in this process, per visitor and per network address. */
export type ConcurrencyLimiter = {
  /**
   * Takes a slot for the visitor and one for their address. The returned function releases them. Throws `code` if either
   * has no free slot. API keys have no limit: they belong to the operator's own backends.
   */
  take(visitor: Counted | undefined, request: Pick<RequestFacts, "limitKey">): () => void;
};

/** The operations take some seconds, so an earlier retry would rarely succeed. */
export const retryAfterSeconds = 5;

export function createConcurrencyLimiter(code: ErrorCode, most: ConcurrencyLimit): ConcurrencyLimiter {
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
      const needed = new Map([[`address ${limitKey}`, most.perAddress]]);
      if (own !== undefined) needed.set(own, most.perVisitor);
      for (const [key, max] of needed)
        if ((taken.get(key) ?? 0) >= max) throw new AppError(code, { retryAfterSeconds });
      for (const key of needed.keys()) change(key, 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        for (const key of needed.keys()) change(key, -1);
      };
    },
  };
}
