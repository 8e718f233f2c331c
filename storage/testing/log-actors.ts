import type { Database } from "../database/database.ts";
import { follow, type FollowEvent } from "../log/follow.ts";
import { append, lastSeq } from "../log/log.ts";
import { prune } from "../log/prune.ts";

/** One step of a writer, after `ticks` turns of the event loop. `counts` are the numbers of entries per topic. */
export type WriterStep = {
  ticks: number;
  what: { type: "append"; counts: number[] } | { type: "prune"; back: number } | { type: "fail" };
};

/** When a reader starts, after which entry, its page size, and how many ticks it waits after each page. */
export type ReaderPlan = { ticks: number; after: number; pageSize: number; slowness: number };

/** The text of entries whose transaction is rolled back. No reader may see it. */
export const rolledBack = "rolled back";

/** Executes `steps` on `topics`. Calls `acknowledged` for each committed entry of the first topic. */
export async function write(
  db: Database,
  topics: string[],
  steps: WriterStep[],
  name: string,
  acknowledged: (seq: number, body: string) => void,
): Promise<void> {
  const [firstTopic = ""] = topics;
  for (const [i, { ticks, what }] of steps.entries()) {
    await wait(ticks);
    if (what.type === "prune") {
      await db.write(async (tx) => prune(tx, firstTopic, (await lastSeq(tx.q, firstTopic)) - what.back));
      continue;
    }
    const counts = what.type === "append" ? what.counts : [2, 1];
    const text = what.type === "append" ? name : rolledBack;
    const appends = topics.map((topic, t) => ({
      topic,
      bodies: Array.from({ length: counts[t] ?? 0 }, (_, n) => JSON.stringify(`${text} ${i} ${n}`)),
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
    const last = seqs?.get(firstTopic);
    if (last !== undefined)
      for (const [n, body] of bodies.entries()) acknowledged(last - bodies.length + 1 + n, body);
  }
}

/** Follows `topic` as planned, without polling. */
export async function* read(
  db: Database,
  topic: string,
  { ticks, after, pageSize, slowness }: ReaderPlan,
  signal: AbortSignal,
): AsyncGenerator<FollowEvent> {
  await wait(ticks);
  for await (const event of follow(db, topic, after, signal, { pageSize, recheckMs: 60_000 })) {
    yield event;
    await wait(slowness);
  }
}

async function wait(ticks: number): Promise<void> {
  for (let i = 0; i < ticks; i++) await new Promise((resolve) => setImmediate(resolve));
}
