import { setTimeout as sleepFor } from "node:timers/promises";
import type { Database } from "../database/database.ts";
import { StorageBusyError } from "../lib/errors.ts";
import type { LogEntry, LogPage } from "../lib/log-entry.ts";
import { Mutex } from "../lib/mutex.ts";
import { readAfter } from "./log.ts";
import type { PubSub } from "../pub-sub/pub-sub.ts";

/**
 * What a follower receives. `entries` continue without a gap. `reset`: its position was pruned or never existed; load the
 * rows again and continue from `seq`, as the follower does.
 */
export type FollowEvent = { type: "entries"; entries: LogEntry[] } | { type: "reset"; seq: number };

export type FollowOptions = {
  /** How many entries one read returns at most. */
  pageSize?: number;
  /** It reads after this time without a notification, so that a lost one delays entries and loses none. */
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
 * Follows `topic` after number `after`: yields the existing entries and then new ones until `signal` aborts, which ends
 * it at once and without an error. It reads only when the next event is requested, so a slow reader holds one page. A
 * topic need not exist yet. It waits while the database is busy; other errors are thrown.
 */
export async function* follow(
  db: Database,
  topic: string,
  after: number,
  signal: AbortSignal,
  { pageSize = 200, recheckMs = 5_000, mutex = new Mutex(), sleep = sleepUnreferenced }: FollowOptions = {},
): AsyncGenerator<FollowEvent, void, undefined> {
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
      let readAt: number;
      try {
        if (ended.signal.aborted) return;
        const { startedAt, page } = sharedRead(db, topic, position, pageSize, subscription.notifiedAt);
        const read = page instanceof Promise ? await pageUnlessAborted(page, ended.signal) : page;
        if (read === "aborted") return;
        readAt = read === "busy" ? subscription.notifiedAt : startedAt;
        if (read !== "busy") {
          const event = eventOf(read, topic, position);
          if (event !== undefined) {
            position = event.type === "reset" ? event.seq : position + event.entries.length;
            yield event;
          }
          if (position < read.lastSeq) continue;
        }
      } finally {
        mutex.release();
      }
      await subscription.notifiedAfter(readAt);
    }
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

/** The event for a reader that has seen everything up to `position`; undefined if there is nothing new. */
function eventOf(
  { entries, lastSeq, prunedSeq }: LogPage,
  topic: string,
  position: number,
): FollowEvent | undefined {
  if (position < prunedSeq || position > lastSeq) return { type: "reset", seq: lastSeq };
  const last = entries.at(-1);
  if (last === undefined) return undefined;
  // Continuing would hide the gap from the reader.
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
    const { notifiedAt } = subscription;
    try {
      await sleep(ms, signal);
    } catch {
      return;
    }
    if (subscription.notifiedAt === notifiedAt) subscription.notify();
  }
}

async function sleepUnreferenced(ms: number, signal: AbortSignal): Promise<void> {
  await sleepFor(ms, undefined, { signal, ref: false });
}

/** The page, unless the reader aborts first or the database is busy. An aborted read is left to end by itself. */
async function pageUnlessAborted(
  page: Promise<LogPage>,
  signal: AbortSignal,
): Promise<LogPage | "aborted" | "busy"> {
  const aborted = Promise.withResolvers<"aborted">();
  const abort = (): void => aborted.resolve("aborted");
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([page, aborted.promise]);
  } catch (error) {
    if (error instanceof StorageBusyError) return "busy";
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** A page, read or being read, and the logical timestamp at which the read began. */
type Reading = { startedAt: number; page: LogPage | Promise<LogPage> };

const running = new WeakMap<Database, Map<string, Reading>>();

/**
 * Reads a page, or shares the read of another reader in this process at the same position: many tabs on one topic wake
 * at the same notification. It shares only reads that began after `notifiedAt`, because earlier ones may miss what was
 * published then.
 */
function sharedRead(db: Database, topic: string, after: number, limit: number, notifiedAt: number): Reading {
  const cached = db.recentEntries?.after(topic, after, limit);
  if (cached !== undefined) return { startedAt: nextTimestamp(), page: cached };
  const readings = running.get(db) ?? new Map<string, Reading>();
  running.set(db, readings);
  const key = `${after} ${limit} ${topic}`;
  const shared = readings.get(key);
  if (shared && shared.startedAt > notifiedAt) return shared;

  const page = readAfter(db, topic, after, limit);
  const reading: Reading = { startedAt: nextTimestamp(), page };
  readings.set(key, reading);
  const forget = (): void => {
    if (readings.get(key) === reading) readings.delete(key);
  };
  page.then(forget, forget);
  return reading;
}

let lastTimestamp = 0;

/** The next logical timestamp of this process. Comparing two of them says which event came first. */
function nextTimestamp(): number {
  return ++lastTimestamp;
}

/** One reader's subscription to a topic, from its creation until it is closed. */
class Subscription {
  /** Timestamp of the newest notification, or of the subscription. A read that began later misses nothing. */
  notifiedAt = nextTimestamp();
  readonly #unsubscribe: () => void;
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(pubSub: PubSub, topic: string) {
    this.#unsubscribe = pubSub.subscribe(topic, () => this.notify());
  }

  notify(): void {
    this.notifiedAt = nextTimestamp();
    this.#wake?.();
  }

  /** Resolves at the first notification after `timestamp`, which may be in the past, or when this is closed. */
  async notifiedAfter(timestamp: number): Promise<void> {
    if (this.notifiedAt > timestamp || this.#closed) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unsubscribe();
    this.#wake?.();
  }
}
