import type { Change, LiveMessage } from "#contract/changes.ts";
import type { NumberedRunEvent } from "#contract/run-events.ts";
import { follow } from "#storage/log/follow.ts";
import { append, lastSeq, type Append } from "#storage/log/log.ts";
import { dropTopics, prune } from "#storage/log/prune.ts";
import type { Database, Tx } from "#storage/sql/database.ts";
import type { EventFrame } from "../route.ts";
import { merge } from "./merge.ts";

/** The feed of a workspace's changes, which every browser of its people follows. */
export type Live = {
  /** Tells `changes` to whoever follows the workspace, once `tx` is committed. */
  announce(tx: Tx, workspaceId: string, changes: Change[]): Promise<void>;
  /** Drops what the feed has told so far; whoever follows it is told to load afresh. */
  forget(tx: Tx, workspaceId: string): Promise<void>;
  /** Drops the feeds of workspaces that are no more. */
  drop(tx: Tx, workspaceIds: string[]): Promise<void>;
  /**
   * The feed after `after` (from now on, where it is absent), and the events of `runs` beside it, until `signal`
   * aborts. `hello` comes first.
   */
  follow(from: {
    workspaceId: string;
    after: number | undefined;
    runs: RunInView[];
    signal: AbortSignal;
  }): AsyncIterable<EventFrame>;
};

/** A run whose events go along, and how to follow it: this room knows nothing of runs. */
export type RunInView = {
  runId: string;
  events: (signal: AbortSignal) => AsyncIterable<NumberedRunEvent | "reset">;
};

export function createLive(options: { db: Database }): Live {
  const { db } = options;

  async function* changes(
    workspaceId: string,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<EventFrame> {
    for await (const batch of follow(db, topicOf(workspaceId), after, signal)) {
      if (batch.type === "reset") {
        yield { data: { type: "reset", seq: batch.seq } satisfies LiveMessage };
        continue;
      }
      for (const entry of batch.entries) {
        const change = JSON.parse(entry.body) as Change;
        yield { id: entry.seq, data: { type: "change", seq: entry.seq, change } satisfies LiveMessage };
      }
    }
  }

  /** What a transaction announces, appended once at its end: two that took feeds one by one could wait for each other. */
  const announcing = new WeakMap<Tx, Append[]>();

  return {
    announce(tx, workspaceId, announced) {
      let appends = announcing.get(tx);
      if (appends === undefined) {
        const gathered: Append[] = [];
        announcing.set(tx, gathered);
        tx.atEnd.push(async () => void (await append(tx, gathered)));
        appends = gathered;
      }
      appends.push({
        topic: topicOf(workspaceId),
        bodies: announced.map((change) => JSON.stringify(change)),
      });
      return Promise.resolve();
    },
    async forget(tx, workspaceId) {
      const topic = topicOf(workspaceId);
      await prune(tx, topic, await lastSeq(tx.q, topic));
    },
    drop: async (tx, workspaceIds) => await dropTopics(tx, workspaceIds.map(topicOf)),
    async *follow({ workspaceId, after, runs, signal }) {
      const start = after ?? (await lastSeq(db.read, topicOf(workspaceId)));
      yield { data: { type: "hello", seq: start } satisfies LiveMessage };
      const sources = [
        (own: AbortSignal) => changes(workspaceId, start, own),
        ...runs.map((run) => (own: AbortSignal) => runFrames(run, own)),
      ];
      yield* merge(sources, signal);
    },
  };
}

async function* runFrames(run: RunInView, signal: AbortSignal): AsyncGenerator<EventFrame> {
  for await (const item of run.events(signal)) {
    const message: LiveMessage =
      item === "reset"
        ? { type: "run-reset", run_id: run.runId }
        : { type: "run", run_id: run.runId, ...item };
    yield { data: message };
  }
}

function topicOf(workspaceId: string): string {
  return `workspace:${workspaceId}`;
}
