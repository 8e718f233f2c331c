import type { Database } from "../database/database.ts";
import { follow, type FollowEvent } from "../log/follow.ts";
import { append, lastSeq } from "../log/log.ts";
import { prune } from "../log/prune.ts";

/** One step of a writer, after `ticks` turns of the event loop; `counts` are the entries for each topic. */
export type WriterStep = {
  ticks: number;
  what: { type: "append"; counts: number[] } | { type: "prune"; back: number } | { type: "fail" };
};

/** How a reader reads: when it starts, from where, in which pages, and how many ticks it spends on each page. */
export type ReaderPlan = { ticks: number; after: number; pageSize: number; slowness: number };

/** In every entry of a transaction that is rolled back: no reader may ever see it. */
export const rolledBack = "rolled back";

/** Runs `steps` on `topics`, one after the other. Calls `acknowledged` for each entry of the first topic. */
export async function write(
  db: Database,
  topics: string[],
  steps: WriterStep[],
  name: string,
  acknowledged: (seq: number, body: string) => void,
): Promise<void> {
  const [watched = ""] = topics;
  for (const [i, { ticks, what }] of steps.entries()) {
    await wait(ticks);
    if (what.type === "prune") {
      await db.write(async (tx) => prune(tx, watched, (await lastSeq(tx.q, watched)) - what.back));
      continue;
    }
    const counts = what.type === "append" ? what.counts : [2, 1];
    const words = what.type === "append" ? name : rolledBack;
    const appends = topics.map((topic, t) => ({
      topic,
      bodies: Array.from({ length: counts[t] ?? 0 }, (_, n) => JSON.stringify(`${words} ${i} ${n}`)),
    }));
    const appending = db.write(async (tx) => {
      const seqs = await append(tx, appends);
      if (what.type === "fail") throw new Error(rolledBack);
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

/** Follows `topic` as planned, woken by notifications alone. */
export async function* read(
  db: Database,
  topic: string,
  { ticks, after, pageSize, slowness }: ReaderPlan,
  signal: AbortSignal,
): AsyncGenerator<FollowEvent> {
  await wait(ticks);
  // A minute: a test must not pass because of polling.
  for await (const event of follow(db, topic, after, signal, { pageSize, recheckMs: 60_000 })) {
    yield event;
    await wait(slowness);
  }
}

async function wait(ticks: number): Promise<void> {
  for (let i = 0; i < ticks; i++) await new Promise((resolve) => setImmediate(resolve));
}
