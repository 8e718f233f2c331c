import type { Database } from "#storage/database/database.ts";
import type { Visitor } from "#server/lib/route.ts";
import type { Rights } from "./rights.ts";
import { personTopic, rightsTopic } from "./rows.ts";

/**
 * A change for everyone reaches the open pages of this process at random times within this many milliseconds times the
 * number of pages, because a page whose rights changed reloads all that it shows.
 */
const msPerPage = 2;

/**
 * Follows what a person may use, for their open pages: the digest now, and each other one from then on until the signal
 * aborts. `undefined` for users of apps, who may use everything.
 */
export function createFollowAccess({ db, rights }: { db: Database; rights: Pick<Rights, "digestOf"> }) {
  let pages = 0;

  async function* changes(visitor: Visitor, before: string, signal: AbortSignal): AsyncGenerator<string> {
    let last = before;
    // The rights can have changed between the first digest and the subscription.
    let isStale = true;
    let wake = () => {};
    let timer: NodeJS.Timeout | undefined;
    const notice = () => {
      isStale = true;
      wake();
    };
    const noticeInTurn = () => {
      clearTimeout(timer);
      timer = setTimeout(notice, Math.random() * pages * msPerPage);
    };
    const unsubscribe = [
      db.pubSub.subscribe(personTopic(visitor.userId), notice),
      db.pubSub.subscribe(rightsTopic, noticeInTurn),
    ];
    signal.addEventListener("abort", notice, { once: true });
    pages += 1;
    try {
      while (!signal.aborted) {
        if (isStale) {
          isStale = false;
          const now = await rights.digestOf(visitor);
          if (now !== null && now !== last) yield (last = now);
        } else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      pages -= 1;
      clearTimeout(timer);
      for (const stop of unsubscribe) stop();
      signal.removeEventListener("abort", notice);
    }
  }

  return async (visitor: Visitor) => {
    const now = await rights.digestOf(visitor);
    if (now === null) return undefined;
    return { now, changes: (signal: AbortSignal) => changes(visitor, now, signal) };
  };
}
