import { setTimeout as sleepFor } from "node:timers/promises";
import type { Client } from "pg";
import type { PubSub } from "./pub-sub.ts";
import { createMemoryPubSub } from "./memory-pub-sub.ts";

/** The channel of a database on which its servers notify each other. */
export const channel = "parlance";

/** Up to 500 ms: less than other processes wait before they take this one for ended (see `process-lock.ts`). */
const firstRetryMs = 100;
const lastRetryMs = 500;

/** PostgreSQL's limit is 8,000 bytes. A payload that is below 7,000 has room for one more topic. */
const payloadBytes = 7_000;

export type PostgresPubSub = PubSub & {
  /** A payload that publishes `topic` in this process, as if another process had sent it. */
  payloadFromOther(topic: string): string;
  /** Payloads to notify in a transaction, which publish `topics` in the other processes when it commits. */
  payloads(topics: Iterable<string>): string[];
  /** Resolves when this process receives notifications; rejects if the first attempt fails. */
  readonly connected: Promise<void>;
  close(): Promise<void>;
};

type Options = {
  /** Makes a client that is not connected yet. A connection that is silent for its `query_timeout` counts as lost. */
  newClient: () => Client;
  /** Called with each client that has connected, before it listens. */
  prepareClient?: (client: Client) => Promise<void>;
  /** Names this process. It ignores its own notifications, because `publish` has already called its listeners. */
  sender: string;
  /** Called before the listeners when other processes published these topics, or perhaps any topic. */
  beforeOthers?: (topics: string[] | "any") => void;
  /** How often the connection is tested. 30 s: a firewall may drop it silently, and until then followers poll. */
  probeMs?: number;
};

/**
 * Pub/sub between the processes of one database. It keeps one client connected, and publishes every topic whenever that
 * client has reconnected, because notifications may have been missed.
 */
export function createPostgresPubSub({
  newClient,
  prepareClient = async () => {},
  sender,
  beforeOthers = () => {},
  probeMs = 30_000,
}: Options): PostgresPubSub {
  const local = createMemoryPubSub();
  const closed = new AbortController();
  const connected = Promise.withResolvers<void>();
  const listening = keepListening();

  async function keepListening(): Promise<void> {
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
      // Jitter, so that many servers do not reconnect at the same time.
      await sleepFor(retryMs * (0.5 + Math.random() / 2), undefined, { signal: closed.signal }).catch(
        () => {},
      );
      retryMs = Math.min(retryMs * 2, lastRetryMs);
    }
  }

  /** Resolves when the connection is lost or `close` is called. */
  async function listenOnce(ready: () => void): Promise<void> {
    const client = newClient();
    const lost = Promise.withResolvers<void>();
    const lose = (): void => lost.resolve();
    client.on("error", lose);
    client.on("end", lose);
    client.on("notification", ({ payload }) => receive(payload));
    closed.signal.addEventListener("abort", lose);
    const probe = setInterval(() => void client.query("select 1").catch(lose), probeMs).unref();
    try {
      await client.connect();
      await prepareClient(client);
      await client.query(`listen ${channel}`);
      ready();
      // Not before: only commits after `listen` are notified.
      beforeOthers("any");
      local.publishAll();
      await lost.promise;
    } finally {
      clearInterval(probe);
      closed.signal.removeEventListener("abort", lose);
      await client.end().catch(() => {});
    }
  }

  function receive(payload: string | undefined): void {
    const [from, ...topics] = parse(payload);
    if (from === sender) return;
    beforeOthers(topics);
    local.publish(topics);
  }

  return {
    publish: (topics) => local.publish(topics),
    subscribe: (topic, listener) => local.subscribe(topic, listener),
    payloadFromOther: (topic) => JSON.stringify([`not ${sender}`, topic]),
    payloads: (topics) => payloads(topics, sender),
    connected: connected.promise,
    async close() {
      closed.abort();
      await listening;
    },
  };
}

/** JSON lists of the sender and some topics; as few as the size of a payload allows. */
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

/** Empty if another program sent it: any client of the database may notify on any channel. */
function parse(payload: string | undefined): string[] {
  try {
    const list: unknown = JSON.parse(payload ?? "");
    return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
  } catch {
    return [];
  }
}
