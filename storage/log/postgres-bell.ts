import { setTimeout as sleepFor } from "node:timers/promises";
import type { Client } from "pg";
import type { Bell } from "./bell.ts";
import { createMemoryBell } from "./memory-bell.ts";

/** The one channel of a database on which its servers tell each other what was rung. */
export const channel = "parlance";

/** From 100 ms, doubling to 5 s: soon after a short restart, and no storm in a long one. */
const firstRetryMs = 100;
const lastRetryMs = 5_000;

/** A payload has less than 8,000 bytes; a topic that begins below 7,000 still ends below that. */
const payloadBytes = 7_000;

export type PostgresBell = Bell & {
  /** What to notify so that `topic` is rung here, as if another process had rung it. */
  payloadOfAnother(topic: string): string;
  /** What to notify in a transaction, so that `topics` are rung in the other processes when it commits. */
  payloads(topics: Iterable<string>): string[];
  /** Resolves when the other processes are heard; rejects when the first try fails. */
  readonly connected: Promise<void>;
  close(): Promise<void>;
};

type Options = {
  /** A client that is not connected yet. Its `query_timeout` says when silence is taken for death. */
  newClient: () => Client;
  /** Tells this process's rings from the others': its own listeners are rung by `ring`. */
  sender: string;
  /** 30 s: a connection that a firewall dropped says nothing of it; until then followers look by themselves. */
  probeMs?: number;
};

/**
 * A bell across the processes of one database. One client is kept connected for as long as this is open; whenever it
 * comes back every topic is rung, for rings may have been missed.
 */
export function createPostgresBell({ newClient, sender, probeMs = 30_000 }: Options): PostgresBell {
  const local = createMemoryBell();
  const closed = new AbortController();
  const connected = Promise.withResolvers<void>();
  const listening = listenForEver();

  async function listenForEver(): Promise<void> {
    let retryMs = firstRetryMs;
    while (!closed.signal.aborted) {
      try {
        await listenOnce(() => {
          retryMs = firstRetryMs;
          connected.resolve();
        });
      } catch (error) {
        connected.reject(error);
      }
      // Between half and all of it, so that many servers do not return in step.
      await sleepFor(retryMs * (0.5 + Math.random() / 2), undefined, { signal: closed.signal }).catch(
        () => {},
      );
      retryMs = Math.min(retryMs * 2, lastRetryMs);
    }
  }

  /** Until the connection is lost or the bell is closed. */
  async function listenOnce(ready: () => void): Promise<void> {
    const client = newClient();
    const gone = Promise.withResolvers<void>();
    const leave = (): void => gone.resolve();
    client.on("error", leave);
    client.on("end", leave);
    client.on("notification", ({ payload }) => hear(payload));
    closed.signal.addEventListener("abort", leave);
    const probe = setInterval(() => void client.query("select 1").catch(leave), probeMs).unref();
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
      ready();
      // Only now: what is committed from here on is notified.
      local.ringAll();
      await gone.promise;
    } finally {
      clearInterval(probe);
      closed.signal.removeEventListener("abort", leave);
      await client.end().catch(() => {});
    }
  }

  function hear(payload: string | undefined): void {
    const [from, ...topics] = parsed(payload);
    if (from !== sender) local.ring(topics);
  }

  return {
    ring: (topics) => local.ring(topics),
    listen: (topic, heard) => local.listen(topic, heard),
    payloadOfAnother: (topic) => JSON.stringify([`not ${sender}`, topic]),
    payloads: (topics) => payloads(topics, sender),
    connected: connected.promise,
    async close() {
      closed.abort();
      await listening;
    },
  };
}

/** Lists of the sender and some topics, as JSON; as few as the size of a payload allows. */
function payloads(topics: Iterable<string>, sender: string): string[] {
  const lists: string[][] = [];
  let list: string[] | undefined;
  let bytes = 0;
  for (const topic of topics) {
    if (list === undefined || bytes > payloadBytes) {
      list = [sender];
      bytes = 0;
      lists.push(list);
    }
    list.push(topic);
    bytes += Buffer.byteLength(JSON.stringify(topic)) + 1;
  }
  return lists.map((each) => JSON.stringify(each));
}

/** Empty for what is not ours: any program of the database may notify on any channel. */
function parsed(payload: string | undefined): string[] {
  try {
    const list: unknown = JSON.parse(payload ?? "");
    return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
  } catch {
    return [];
  }
}
