import type { RunEvent } from "#contract/run-events.ts";
import { append, bodyAt, type Append } from "#storage/log/log.ts";
import type { Tx } from "#storage/database/database.ts";
import type { Threads } from "#server/threads/threads.ts";
import { putCalls, type CarriedOutCall } from "../calls/rows.ts";
import { putRequests, type NewRequest } from "../requests/rows.ts";
import * as rows from "../rows.ts";
import { runTopic } from "./topics.ts";

/** The events of one run for one transaction, and what the transaction does if the last of them ends the run. */
export type RunBatch = {
  runId: string;
  events: RunEvent[];
  /** The run's requests to models that are new or have ended. */
  requests: NewRequest[];
  /** The run's tool calls that have ended. */
  calls: CarriedOutCall[];
  end: { threadId: string | null; finish: (tx: Tx) => Promise<void> } | undefined;
  /** The number of the last event in an earlier attempt. It shows whether that attempt was committed. */
  lastSeq: number | undefined;
};

/**
 * Appends the events of several runs to their logs and finishes the runs that end. Returns the batches that are stored
 * when the transaction commits: all except those of runs whose lease belongs to another process.
 */
export async function storeBatches<B extends RunBatch>(
  tx: Tx,
  batches: readonly B[],
  { threads, leaseOwner }: { threads: Pick<Threads, "lockAll">; leaseOwner: string },
): Promise<Set<B>> {
  await threads.lockAll(tx, threadIdsOf(batches));
  const runIds = batches.map(({ runId }) => runId);
  const locked = await rows.lockLeased(tx, runIds, leaseOwner);
  const stored = new Set<B>();
  for (const batch of batches) if (await isStored(tx, batch)) stored.add(batch);
  const remaining = batches.filter((batch) => locked.has(batch.runId) && !stored.has(batch));
  const lastSeqs = await append(tx, remaining.filter(({ events }) => events.length > 0).map(appendOf));
  await putRequests(
    tx,
    remaining.flatMap(({ requests }) => requests),
  );
  await putCalls(
    tx,
    remaining.flatMap(({ calls }) => calls),
  );
  for (const batch of remaining) {
    batch.lastSeq = lastSeqs.get(runTopic(batch.runId));
    await batch.end?.finish(tx);
    stored.add(batch);
  }
  return stored;
}

function threadIdsOf(batches: readonly RunBatch[]): string[] {
  const ids = batches.map(({ end }) => end?.threadId ?? null);
  return [...new Set(ids)].filter((id) => id !== null);
}

/** Whether an earlier transaction, whose commit was not confirmed, stored the batch. */
async function isStored(tx: Tx, { runId, events, lastSeq }: RunBatch): Promise<boolean> {
  if (lastSeq === undefined) return false;
  const topic = runTopic(runId);
  if ((await bodyAt(tx.q, topic, lastSeq)) !== JSON.stringify(events.at(-1))) return false;
  tx.publishOnCommit.add(topic);
  return true;
}

function appendOf({ runId, events }: RunBatch): Append {
  return { topic: runTopic(runId), bodies: events.map((event) => JSON.stringify(event)) };
}
