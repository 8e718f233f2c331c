import { expect, test, vi } from "vitest";
import type { KyselyPlugin } from "kysely";
import type { Database } from "../database/database.ts";
import { StorageBusyError } from "../lib/errors.ts";
import { describeEveryEngine } from "../testing/engines.ts";
import { follow, type FollowEvent, type FollowOptions } from "./follow.ts";
import { append } from "./log.ts";
import { prune } from "./prune.ts";
import { Mutex } from "../lib/mutex.ts";

/** A sleep that ends only by an abort. */
const never = (_ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));

const say = (db: Database, ...words: string[]): Promise<unknown> =>
  db.write((tx) => append(tx, [{ topic: "run:a", bodies: words.map((word) => JSON.stringify(word)) }]));

/** The numbers of the next entries, or the next reset. */
async function next(follower: AsyncGenerator<FollowEvent>): Promise<number[] | { reset: number } | "ended"> {
  const { value, done } = await follower.next();
  if (done) return "ended";
  return value.type === "reset" ? { reset: value.seq } : value.entries.map(({ seq }) => seq);
}

/** `db` without its cache, which calls `then` after each read of the log, before the reader gets the result. */
function withReads(db: Database, then: () => unknown): Database {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await then();
      return result;
    },
  };
  return { ...db, read: db.read.withPlugin(plugin), recentEntries: undefined };
}

/** `db` with pub/sub that counts its listeners and, if `deaf`, never calls them. */
function withListeners(db: Database, { deaf = false } = {}): { db: Database; listeners: () => number } {
  let listeners = 0;
  const pubSub: Database["pubSub"] = {
    publish: (topics) => db.pubSub.publish(topics),
    subscribe(topic, listener) {
      listeners++;
      const stop = db.pubSub.subscribe(topic, deaf ? () => {} : listener);
      return () => {
        listeners--;
        stop();
      };
    },
  };
  return { db: { ...db, pubSub }, listeners: () => listeners };
}

/** Waits until everything has happened that needs no time to pass. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

describeEveryEngine("a follower", (open) => {
  const leaving = new AbortController();
  const follower = (db: Database, after: number, options: FollowOptions = {}, signal = leaving.signal) =>
    follow(db, "run:a", after, signal, { sleep: never, ...options });

  test("reads the existing entries in pages, then new ones, until it aborts", async () => {
    const db = await open();
    await say(db, "1", "2", "3");
    const ada = new AbortController();
    const following = follower(db, 0, { pageSize: 2 }, ada.signal);
    expect(await next(following)).toEqual([1, 2]);
    expect(await next(following)).toEqual([3]);
    const coming = next(following);
    await say(db, "4");
    expect(await coming).toEqual([4]);
    ada.abort();
    expect(await next(following)).toBe("ended");
  });

  test("that shares a mutex with another reads when the page of the other is taken", async () => {
    const db = await open();
    await db.write((tx) =>
      append(tx, [
        { topic: "run:a", bodies: ["1", "2"] },
        { topic: "run:b", bodies: ["1"] },
      ]),
    );
    const mutex = new Mutex();
    const a = follower(db, 0, { mutex, pageSize: 1 });
    const b = follow(db, "run:b", 0, leaving.signal, { sleep: never, mutex });
    expect(await next(a)).toEqual([1]);
    let read = false;
    const ofB = next(b).finally(() => (read = true));
    await settled();
    expect(read).toBe(false);
    const ofA = next(a);
    expect(await ofB).toEqual([1]);
    // A follower that ends releases the mutex.
    await b.return();
    expect(await ofA).toEqual([2]);
    await a.return();
  });

  test("that aborts while it waits for the mutex reads nothing", async () => {
    const db = await open();
    await say(db, "1");
    const mutex = new Mutex();
    const ada = new AbortController();
    const first = follower(db, 0, { mutex });
    const second = follower(db, 0, { mutex }, ada.signal);
    expect(await next(first)).toEqual([1]);
    const waiting = next(second);
    ada.abort();
    await first.return();
    expect(await waiting).toBe("ended");
  });

  test("starts in the middle", async () => {
    const db = await open();
    await say(db, "1", "2", "3");
    expect(await next(follower(db, 2))).toEqual([3]);
  });

  test("waits for a topic that does not exist yet", async () => {
    const db = await open();
    const coming = next(follower(db, 0));
    await say(db, "1");
    expect(await coming).toEqual([1]);
  });

  test("is reset when its position was pruned, and continues from the newest entry", async () => {
    const db = await open();
    await say(db, "1", "2", "3");
    await db.write((tx) => prune(tx, "run:a", 2));
    const ada = follower(db, 1);
    expect(await next(ada)).toEqual({ reset: 3 });
    await say(db, "4");
    expect(await next(ada)).toEqual([4]);
    expect(await next(follower(db, 2)), "the first position that is not pruned").toEqual([3, 4]);
  });

  test("is reset when its position never existed", async () => {
    const db = await open();
    expect(await next(follower(db, 9)), "of a topic that does not exist").toEqual({ reset: 0 });
    await say(db, "1");
    expect(await next(follower(db, 9))).toEqual({ reset: 1 });
  });

  test("notices a notification between its read and its wait", async () => {
    const db = await open();
    let reads = 0;
    // The first read finds nothing; before its reader has that answer, something is appended and published.
    const racing = withReads(db, async () => {
      if (++reads === 1) await say(db, "1");
    });
    const coming = next(follower(racing, 0));
    const tooLate = new Promise((resolve) => setTimeout(resolve, 5_000, "missed it"));
    expect(await Promise.race([coming, tooLate])).toEqual([1]);
    expect(reads).toBe(2);
  });

  test("does not share a read that began before the notification it received", async () => {
    const db = await open();
    await say(db, "1");
    let reads = 0;
    const stuck = Promise.withResolvers<void>();
    const slow = withReads(db, () => (++reads === 1 ? stuck.promise : undefined));
    const ada = next(follower(slow, 1));
    await vi.waitUntil(() => reads === 1);
    await say(db, "2");
    // Ada's read began earlier, is still running and has not seen it.
    expect(await next(follower(slow, 1))).toEqual([2]);
    stuck.resolve();
    expect(await ada).toEqual([2]);
  });

  test("shares the read that follows a notification with other followers at the same position", async () => {
    const db = await open();
    let reads = 0;
    const counting = withReads(db, () => void reads++);
    const followers = Array.from({ length: 10 }, () => follower(counting, 0));
    const coming = followers.map(next);
    await vi.waitUntil(() => reads > 0);
    await settled();
    reads = 0;
    await say(db, "1");
    expect(await Promise.all(coming)).toEqual(Array.from({ length: 10 }, () => [1]));
    expect(reads).toBe(1);
  });

  test("polls after a while, so that a lost notification loses nothing", async () => {
    const { db } = withListeners(await open(), { deaf: true });
    const asked: number[] = [];
    let pass = (): void => {};
    const sleep = (ms: number): Promise<void> => {
      asked.push(ms);
      return new Promise((resolve) => (pass = resolve));
    };
    const coming = next(follower(db, 0, { sleep, recheckMs: 5_000 }));
    await settled();
    await say(db, "1");
    await settled();
    pass();
    expect(await coming).toEqual([1]);
    await settled();
    expect(asked).toEqual([5_000, 5_000]);
  });

  test("polls only if nothing was published since", async () => {
    const db = await open();
    let reads = 0;
    let pass = (): void => {};
    const sleep = (): Promise<void> => new Promise((resolve) => (pass = resolve));
    const counted = withReads(db, () => void reads++);
    const following = follower(counted, 0, { sleep });
    const first = next(following);
    await settled();
    await say(db, "1");
    expect(await first).toEqual([1]);
    const second = next(following);
    await settled();
    reads = 0;
    pass();
    await settled();
    expect(reads, "after a notification").toBe(0);
    pass();
    await expect.poll(() => reads, { message: "without one" }).toBe(1);
    await say(db, "2");
    expect(await second).toEqual([2]);
  });

  test("reads nothing while its reader is busy", async () => {
    const db = await open();
    let reads = 0;
    const following = follower(
      withReads(db, () => void reads++),
      0,
      { pageSize: 2 },
    );
    await say(db, "1", "2", "3", "4");
    expect(await next(following)).toEqual([1, 2]);
    for (let i = 5; i < 10; i++) await say(db, String(i));
    await settled();
    expect(reads).toBe(1);
    expect(await next(following)).toEqual([3, 4]);
    expect(reads).toBe(2);
  });

  test("ends at once when it aborts while it waits, and unsubscribes", async () => {
    const { db, listeners } = withListeners(await open());
    const ada = new AbortController();
    const coming = next(follower(db, 0, {}, ada.signal));
    await settled();
    expect(listeners()).toBe(1);
    ada.abort();
    expect(await coming).toBe("ended");
    expect(listeners()).toBe(0);
  });

  test("ends at once when it aborts while it reads, and does not start after an abort", async () => {
    const { db, listeners } = withListeners(await open());
    const stuck = Promise.withResolvers<void>();
    const ada = new AbortController();
    const coming = next(
      follower(
        withReads(db, () => stuck.promise),
        0,
        {},
        ada.signal,
      ),
    );
    await settled();
    ada.abort();
    expect(await coming).toBe("ended");
    expect(await next(follower(db, 0, {}, ada.signal))).toBe("ended");
    expect(listeners()).toBe(0);
    stuck.resolve();
  });

  test("ends when it aborts while its reader is busy", async () => {
    const { db, listeners } = withListeners(await open());
    const ada = new AbortController();
    await say(db, "1");
    const following = follower(db, 0, {}, ada.signal);
    expect(await next(following)).toEqual([1]);
    ada.abort();
    expect(listeners()).toBe(0);
    expect(await next(following)).toBe("ended");
  });

  test("unsubscribes when its reader breaks out of the loop", async () => {
    const { db, listeners } = withListeners(await open());
    await say(db, "1");
    for await (const followed of follower(db, 0)) {
      expect(followed.type).toBe("entries");
      break;
    }
    expect(listeners()).toBe(0);
  });

  test("waits while the database is busy, and continues at the next notification", async () => {
    const db = await open();
    let busy = true;
    const flaky = withReads(db, () => {
      if (busy) throw new StorageBusyError("busy");
    });
    const coming = next(follower(flaky, 0));
    await settled();
    busy = false;
    await say(db, "1");
    expect(await coming).toEqual([1]);
  });

  test("throws at a missing entry instead of skipping it", async () => {
    const db = await open();
    await say(db, "1", "2", "3");
    await db.write((tx) => tx.q.deleteFrom("log_entries").where("seq", "=", 2).execute());
    const fromTheLog = { ...db, recentEntries: undefined };
    await expect(next(follower(fromTheLog, 0))).rejects.toThrow("has a gap after 0");
    expect(await next(follower(fromTheLog, 2))).toEqual([3]);
  });

  test("throws other errors, and unsubscribes", async () => {
    const { db, listeners } = withListeners(await open());
    const broken = withReads(db, () => {
      throw new Error("the disk is broken");
    });
    await expect(next(follower(broken, 0))).rejects.toThrow("the disk is broken");
    expect(listeners()).toBe(0);
  });
});
