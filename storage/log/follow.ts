import { setTimeout as sleepFor } from "node:timers/promises";
import type { Database } from "../database/database.ts";
import { StorageBusyError } from "../errors.ts";
import { Subscription } from "./subscription.ts";
import type { LogEntry, LogPage } from "../log-entry.ts";
import { sharedRead } from "./shared-reads.ts";
import { Mutex } from "../mutex.ts";

/**
 * What a follower receives. `entries` go on without a gap from what it had. `reset`: its place is no longer kept, or
 * never was; load the rows afresh and go on from `seq`, as this follower does.
 */
export type Followed = { type: "entries"; entries: LogEntry[] } | { type: "reset"; seq: number };

export type FollowOptions = {
  /** Entries that are read, and held, at once. */
  pageSize?: number;
  /** How often it polls, so that a lost notification delays entries and loses none. */
  recheckMs?: number;
  /**
   * Shared by all followers of one reader. A follower holds it from its read until its page is taken, so that one page at
   * most waits for the reader.
   */
  mutex?: Mutex | undefined;
  /** Resolves after `ms`; rejects when `signal` aborts. */
  sleep?: Sleep;
};

type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * Follows `topic` from behind number `after`: what is there, then what comes, until `signal` aborts, which ends it
 * quietly and at once. Reads only when asked for more, so a slow reader holds one page. A topic that does not exist yet
 * is waited for. While the database is away it waits; other errors are thrown.
 */
export async function* follow(
  db: Database,
  topic: string,
  after: number,
  signal: AbortSignal,
  { pageSize = 200, recheckMs = 5_000, mutex = new Mutex(), sleep = sleepQuietly }: FollowOptions = {},
): AsyncGenerator<Followed, void, undefined> {
  if (signal.aborted) return;
  // Subscribe before reading: a notification between the read and the wait would be missed.
  const subscription = new Subscription(db.pubSub, topic);
  const ended = new AbortController();
  const end = (): void => {
    ended.abort();
    subscription.close();
  };
  signal.addEventListener("abort", end);
  void recheck(subscription, recheckMs, sleep, ended.signal);
  try {
    let position = after;
    while (!ended.signal.aborted) {
      await mutex.acquire();
      let seenAt: number;
      try {
        if (ended.signal.aborted) return;
        const { startedAt, page } = sharedRead(db, topic, position, pageSize, subscription.notifiedAt);
        const read = page instanceof Promise ? await orAborted(page, ended.signal) : page;
        if (read === "aborted") return;
        seenAt = read === "away" ? subscription.notifiedAt : startedAt;
        if (read !== "away") {
          const news = newsOf(read, topic, position);
          if (news !== undefined) {
            position = news.type === "reset" ? news.seq : position + news.entries.length;
            yield news;
          }
          if (position < read.lastSeq) continue;
        }
      } finally {
        mutex.release();
      }
      await subscription.notifiedAfter(seenAt);
    }
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

/** What a page tells whoever has seen everything up to `position`; `undefined` where that is nothing. */
function newsOf(
  { entries, lastSeq, prunedSeq }: LogPage,
  topic: string,
  position: number,
): Followed | undefined {
  if (position < prunedSeq || position > lastSeq) return { type: "reset", seq: lastSeq };
  const last = entries.at(-1);
  if (last === undefined) return undefined;
  // Whatever made a gap, going on would hide it from everyone downstream.
  if (last.seq !== position + entries.length)
    throw new Error(`The log of ${topic} has a gap after ${position}.`);
  return { type: "entries", entries };
}

async function recheck(
  subscription: Subscription,
  ms: number,
  sleep: Sleep,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await sleep(ms, signal);
    } catch {
      return;
    }
    subscription.notify();
  }
}

async function sleepQuietly(ms: number, signal: AbortSignal): Promise<void> {
  await sleepFor(ms, undefined, { signal, ref: false });
}

/** The page; or that the reader has gone, or the database. A read under way when the reader goes ends by itself. */
async function orAborted(page: Promise<LogPage>, signal: AbortSignal): Promise<LogPage | "aborted" | "away"> {
  const gone = Promise.withResolvers<"aborted">();
  const resolve = (): void => gone.resolve("aborted");
  if (signal.aborted) resolve();
  signal.addEventListener("abort", resolve);
  try {
    return await Promise.race([page, gone.promise]);
  } catch (error) {
    if (error instanceof StorageBusyError) return "away";
    throw error;
  } finally {
    signal.removeEventListener("abort", resolve);
  }
}
