import { append, lastSeq } from "../log/log.ts";
import { follow, type Followed } from "../log/follow.ts";
import { prune } from "../log/prune.ts";
import type { Database } from "../database/database.ts";

/** What a writer does, after so many turns of the event loop; `counts` are the entries for each topic. */
export type Deed = {
  turns: number;
  what: { type: "append"; counts: number[] } | { type: "prune"; back: number } | { type: "fail" };
};

/** How a reader reads: when it begins, from where, how much at once, and how long it takes over it. */
export type Pace = { turns: number; after: number; pageSize: number; slowness: number };

/** What stands in every entry of a transaction that was given up: nobody may ever see it. */
export const givenUp = "given up";

/** Does `deeds` to `topics`, one after the other; tells what of the first topic was acknowledged. */
export async function write(
  db: Database,
  topics: string[],
  deeds: Deed[],
  name: string,
  acknowledged: (seq: number, body: string) => void,
): Promise<void> {
  const [watched = ""] = topics;
  for (const [i, { turns: wait, what }] of deeds.entries()) {
    await turns(wait);
    if (what.type === "prune") {
      await db.write(async (tx) => prune(tx, watched, (await lastSeq(tx.q, watched)) - what.back));
      continue;
    }
    const counts = what.type === "append" ? what.counts : [2, 1];
    const words = what.type === "append" ? name : givenUp;
    const appends = topics.map((topic, t) => ({
      topic,
      bodies: Array.from({ length: counts[t] ?? 0 }, (_, n) => JSON.stringify(`${words} ${i} ${n}`)),
    }));
    const appending = db.write(async (tx) => {
      const seqs = await append(tx, appends);
      if (what.type === "fail") throw new Error(givenUp);
      return seqs;
    });
    const seqs = await appending.catch((error: unknown) => {
      if (what.type !== "fail") throw error;
      return undefined;
    });
    const bodies = appends[0]?.bodies ?? [];
    const last = seqs?.get(watched);
    if (last !== undefined)
      for (const [n, body] of bodies.entries()) acknowledged(last - bodies.length + 1 + n, body);
  }
}

/** Follows `topic` at this pace, woken by notifications alone. */
export async function* read(
  db: Database,
  topic: string,
  { turns: wait, after, pageSize, slowness }: Pace,
  signal: AbortSignal,
): AsyncGenerator<Followed> {
  await turns(wait);
  // A minute: nothing here may lean on looking again.
  for await (const followed of follow(db, topic, after, signal, { pageSize, recheckMs: 60_000 })) {
    yield followed;
    await turns(slowness);
  }
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}
