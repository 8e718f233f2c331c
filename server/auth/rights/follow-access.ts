import type { Database } from "#storage/database/database.ts";
import { isOwnUser, type Visitor } from "#server/lib/route.ts";
import type { Rights } from "./rights.ts";
import { rightsTopic } from "./rows.ts";

/**
 * Follows what a person may use, for their open pages: the digest now, and each other one from then on until the signal
 * aborts. `undefined` for users of apps, who may use everything.
 */
export function createFollowAccess({ db, rights }: { db: Database; rights: Pick<Rights, "digestOf"> }) {
  async function* changes(visitor: Visitor, before: string, signal: AbortSignal): AsyncGenerator<string> {
    let last = before;
    // The rights can have changed between the first digest and the subscription.
    let isStale = true;
    let wake = () => {};
    const notice = () => {
      isStale = true;
      wake();
    };
    const unsubscribe = db.pubSub.subscribe(rightsTopic, notice);
    signal.addEventListener("abort", notice, { once: true });
    try {
      while (!signal.aborted) {
        if (isStale) {
          isStale = false;
          const now = await rights.digestOf(visitor);
          if (now !== last) yield (last = now);
        } else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      unsubscribe();
      signal.removeEventListener("abort", notice);
    }
  }

  return async (visitor: Visitor) => {
    if (!isOwnUser(visitor)) return undefined;
    const now = await rights.digestOf(visitor);
    return { now, changes: (signal: AbortSignal) => changes(visitor, now, signal) };
  };
}
