import type { Change, LiveMessage } from "#contract/changes.ts";
import { follow } from "#storage/log/follow.ts";
import { append, lastSeq, type Append } from "#storage/log/log.ts";
import type { LogEntry } from "#storage/lib/log-entry.ts";
import { dropTopics, prune } from "#storage/log/prune.ts";
import { Mutex } from "#storage/lib/mutex.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { EventBatch } from "../lib/route.ts";
import { merge } from "./merge.ts";

/** The change feed of each workspace, which its browsers follow. */
export type Live = {
  /** Appends `changes` to the feed when `tx` commits. */
  announce(tx: Tx, workspaceId: string, changes: Change[]): Promise<void>;
  /** Deletes the feed's entries. Clients that need them get a `reset` and load everything again. */
  clear(tx: Tx, workspaceId: string): Promise<void>;
  /** Deletes the feeds of deleted workspaces. */
  drop(tx: Tx, workspaceIds: string[]): Promise<void>;
  /**
   * Follows the feed after entry `after` (default: from now on), together with the events of `runs` and of the runs that
   * are started with `streamId`, until `signal` aborts. The first event is `hello`. `findRun` returns a run of this
   * workspace, with all its events.
   */
  follow(from: {
    workspaceId: string;
    after: number | undefined;
    runs: FollowedRun[];
    streamId: string | undefined;
    findRun: (runId: string) => Promise<FollowedRun | undefined>;
    access?: FollowedAccess | undefined;
    signal: AbortSignal;
  }): AsyncIterable<EventBatch>;
};

/** A run to follow. `events` is a function because this module does not depend on runs. */
export type FollowedRun = {
  runId: string;
  events: (signal: AbortSignal, mutex: Mutex) => AsyncIterable<readonly LogEntry[] | "reset">;
};

/** A digest of what the person may use, and a new one after each change. */
export type FollowedAccess = { now: string; changes: (signal: AbortSignal) => AsyncGenerator<string> };

/** Changes that a transaction announced in the feed of one workspace. */
type Announced = { workspaceId: string; changes: Change[] };

/** What other feeds get of the changes of a transaction. Called before it commits. */
export type CopyChanges = (tx: Tx, announced: readonly Announced[]) => Promise<Announced[]>;

export function createLive(options: { db: Database; copy?: CopyChanges }): Live {
  const { db, copy } = options;

  async function* changes(
    workspaceId: string,
    after: number,
    signal: AbortSignal,
    mutex: Mutex,
  ): AsyncGenerator<Update> {
    for await (const batch of follow(db, feedTopic(workspaceId), after, signal, { mutex })) {
      if (batch.type === "reset") yield { message: { type: "reset", seq: batch.seq } };
      else yield { changes: batch.entries };
    }
  }

  /**
   * The changes of each transaction, which appends all of them at its end: two transactions that locked several feeds one
   * by one could deadlock.
   */
  const pending = new WeakMap<Tx, Announced[]>();

  return {
    announce(tx, workspaceId, announced) {
      let all = pending.get(tx);
      if (all === undefined) {
        const collected: Announced[] = [];
        pending.set(tx, collected);
        tx.beforeCommit.push(async () => {
          const copies = (await copy?.(tx, collected)) ?? [];
          await append(tx, [...collected, ...copies].map(toAppend));
        });
        all = collected;
      }
      all.push({ workspaceId, changes: announced });
      return Promise.resolve();
    },
    async clear(tx, workspaceId) {
      const topic = feedTopic(workspaceId);
      await prune(tx, topic, await lastSeq(tx.q, topic));
    },
    drop: async (tx, workspaceIds) => await dropTopics(tx, workspaceIds.map(feedTopic)),
    async *follow({ workspaceId, after, runs, streamId, findRun, access, signal }) {
      const start = after ?? (await lastSeq(db.read, feedTopic(workspaceId)));
      yield [frameOf({ type: "hello", seq: start, ...(access && { access: access.now }) })];
      const mutex = new Mutex();
      const sources = [
        (own: AbortSignal) => changes(workspaceId, start, own, mutex),
        ...(access === undefined ? [] : [(own: AbortSignal) => accessUpdates(access, own)]),
        ...runs.map((run) => (own: AbortSignal) => runUpdates(run, own, mutex)),
      ];
      const followed = new Set(runs.map(({ runId }) => runId));
      const startedRuns = (update: Update) => {
        const started = runIdsStartedWith(streamId, update).filter((runId) => !followed.has(runId));
        return started.map((runId) => {
          followed.add(runId);
          return async function* (own: AbortSignal) {
            const run = await findRun(runId);
            if (run !== undefined) yield* runUpdates(run, own, mutex);
          };
        });
      };
      const toFrames = createLineWriter();
      for await (const update of merge(sources, signal, startedRuns)) yield toFrames(update);
    },
  };
}

function toAppend({ workspaceId, changes }: Announced): Append {
  return { topic: feedTopic(workspaceId), bodies: changes.map((change) => JSON.stringify(change)) };
}

/** New entries of the feed or of a run's log. */
type Update =
  | { message: LiveMessage }
  | { changes: LogEntry[] }
  | { runId: string; events: readonly LogEntry[] };

async function* accessUpdates(followed: FollowedAccess, signal: AbortSignal): AsyncGenerator<Update> {
  for await (const access of followed.changes(signal)) yield { message: { type: "access", access } };
}

async function* runUpdates(
  { runId, events }: FollowedRun,
  signal: AbortSignal,
  mutex: Mutex,
): AsyncGenerator<Update> {
  for await (const batch of events(signal, mutex)) {
    if (batch === "reset") yield { message: { type: "run-reset", run_id: runId } };
    else yield { runId, events: batch };
  }
}

/** The runs that are started with `streamId` in these changes. The text search avoids parsing the others. */
function runIdsStartedWith(streamId: string | undefined, update: Update): string[] {
  if (streamId === undefined || !("changes" in update)) return [];
  const field = `"stream_id":${JSON.stringify(streamId)}`;
  return update.changes
    .filter(({ body }) => body.includes(field))
    .map(({ body }) => JSON.parse(body) as Change)
    .flatMap((change) => (change.type === "run-put" && change.stream_id === streamId ? [change.run_id] : []));
}

/** Serializes updates as events of the stream. Consecutive events of the same run name the run only once. */
function createLineWriter(): (update: Update) => EventBatch {
  let lastRunId: string | undefined;
  return (update) => {
    if ("message" in update) return [frameOf(update.message)];
    if ("changes" in update)
      return update.changes.map(({ seq, body }) => ({
        id: seq,
        json: `{"type":"change","seq":${seq},"change":${body}}`,
      }));
    return update.events.map(({ seq, body }) => {
      const prefix = update.runId === lastRunId ? "" : `"type":"run","run_id":"${update.runId}",`;
      lastRunId = update.runId;
      return { json: `{${prefix}"seq":${seq},"event":${body}}` };
    });
  };
}

function frameOf(message: LiveMessage): { json: string } {
  return { json: JSON.stringify(message) };
}

/** The topic of a workspace's feed. */
export function feedTopic(workspaceId: string): string {
  return `workspace:${workspaceId}`;
}
