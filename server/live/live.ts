import type { Change, LiveMessage } from "#contract/changes.ts";
import { follow } from "#storage/log/follow.ts";
import { append, lastSeq, type Append } from "#storage/log/log.ts";
import type { LogEntry } from "#storage/log-entry.ts";
import { dropTopics, prune } from "#storage/log/prune.ts";
import { Mutex } from "#storage/mutex.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { EventBatch } from "../lib/route.ts";
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
  }): AsyncIterable<EventBatch>;
};

/** A run whose events go along, and how to follow it: this room knows nothing of runs. */
export type RunInView = {
  runId: string;
  events: (signal: AbortSignal, mutex: Mutex) => AsyncIterable<readonly LogEntry[] | "reset">;
};

export function createLive(options: { db: Database }): Live {
  const { db } = options;

  async function* changes(
    workspaceId: string,
    after: number,
    signal: AbortSignal,
    mutex: Mutex,
  ): AsyncGenerator<News> {
    for await (const batch of follow(db, topicOf(workspaceId), after, signal, { mutex })) {
      if (batch.type === "reset") yield { message: { type: "reset", seq: batch.seq } };
      else yield { changes: batch.entries };
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
        tx.beforeCommit.push(async () => void (await append(tx, gathered)));
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
      yield [frameOf({ type: "hello", seq: start })];
      const mutex = new Mutex();
      const sources = [
        (own: AbortSignal) => changes(workspaceId, start, own, mutex),
        ...runs.map((run) => (own: AbortSignal) => runNews(run, own, mutex)),
      ];
      const toFrames = createLineWriter();
      for await (const news of merge(sources, signal)) yield toFrames(news);
    },
  };
}

/** Something new of the feed or of a run, in the words of its log. */
type News =
  | { message: LiveMessage }
  | { changes: LogEntry[] }
  | { runId: string; events: readonly LogEntry[] };

async function* runNews(
  { runId, events }: RunInView,
  signal: AbortSignal,
  mutex: Mutex,
): AsyncGenerator<News> {
  for await (const batch of events(signal, mutex)) {
    if (batch === "reset") yield { message: { type: "run-reset", run_id: runId } };
    else yield { runId, events: batch };
  }
}

/** Writes what is new as `LineMessage`s: a run is named where the one before was another's. */
function createLineWriter(): (news: News) => EventBatch {
  let named: string | undefined;
  return (news) => {
    if ("message" in news) return [frameOf(news.message)];
    if ("changes" in news)
      return news.changes.map(({ seq, body }) => ({
        id: seq,
        json: `{"type":"change","seq":${seq},"change":${body}}`,
      }));
    return news.events.map(({ seq, body }) => {
      const whose = news.runId === named ? "" : `"type":"run","run_id":"${news.runId}",`;
      named = news.runId;
      return { json: `{${whose}"seq":${seq},"event":${body}}` };
    });
  };
}

function frameOf(message: LiveMessage): { json: string } {
  return { json: JSON.stringify(message) };
}

function topicOf(workspaceId: string): string {
  return `workspace:${workspaceId}`;
}
