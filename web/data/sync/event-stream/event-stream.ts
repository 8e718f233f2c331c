import type { LiveMessage } from "#contract/changes.ts";
import { backoffMs } from "#web/lib/backoff.ts";
import { isSessionLost } from "#web/data/call.ts";
import type { OpenStream } from "./open-stream.ts";

/** `connecting` during the first attempts, `offline` after the second one failed. */
export type ConnectionState = "connecting" | "online" | "offline";

/**
 * The browser's one connection to the server: the feed of changes and the events of the visible runs. It reconnects by
 * itself and resumes each topic after the last number that it received, so that nothing is missed or repeated.
 */
export type EventStream = {
  /**
   * Follows exactly these runs; a run that was not followed before is read from its first event. It is requested if it is
   * `started`; the server sends the events of others as soon as they are started with this stream's id.
   */
  follow: (runIds: ReadonlySet<string>, started: ReadonlySet<string>) => void;
  /** Retries now if it waits to retry; reconnects if the attempt or the connection has been silent for too long. */
  checkNow: () => void;
  /** Reconnects for another user, from the feed's current position. */
  restart: () => void;
  stop: () => void;
};

export type EventStreamOptions = {
  open: OpenStream;
  id: string;
  /** `refused`: the server refused the headers of the previous attempt. */
  headers: (refused: boolean) => Promise<Record<string, string>>;
  onMessage: (message: LiveMessage) => void;
  onState: (state: ConnectionState) => void;
  now?: () => number;
  random?: () => number;
};

/** 5 s between two attempts at most: what a person wrote offline is sent when the connection is back. */
const retryMaxMs = 5_000;
/** 5 s: after a connection that lasted this long, the backoff starts again. */
const stableMs = 5_000;
/** 20 s: one heartbeat of 15 s and a margin. */
const staleMs = 20_000;
/** 2 s: an attempt without a response for so long may have begun on a network that is gone. */
const slowAttemptMs = 2_000;

export function createEventStream(options: EventStreamOptions): EventStream {
  const now = options.now ?? Date.now;
  let feedSeq: number | undefined;
  /** Each followed run's last received number. */
  let followed = new Map<string, number>();
  /** The runs whose events the open connection has. */
  let connectedRuns = new Set<string>();
  let startedRuns: ReadonlySet<string> = new Set();
  let stopped = false;
  let tries = 0;
  let lastActivityMs = 0;
  let isConnected = false;
  let connection = new AbortController();
  let retryNow: (() => void) | undefined;

  function receive(message: LiveMessage): void {
    if (message.type === "hello" || message.type === "reset") feedSeq = message.seq;
    if (message.type === "hello") {
      isConnected = true;
      options.onState("online");
    }
    if (message.type === "change") {
      if (feedSeq !== undefined && message.seq <= feedSeq) return;
      feedSeq = message.seq;
      const { change } = message;
      // The events of a run that is not followed yet are lost, so it is requested later.
      if (change.type === "run-put" && change.stream_id === options.id && followed.has(change.run_id))
        connectedRuns.add(change.run_id);
    }
    if (message.type === "run") {
      const seq = followed.get(message.run_id);
      if (seq === undefined || message.seq <= seq) return;
      followed.set(message.run_id, message.seq);
    }
    options.onMessage(message);
  }

  async function connect(signal: AbortSignal, refused: boolean): Promise<void> {
    lastActivityMs = now();
    isConnected = false;
    const headers = await options.headers(refused);
    if (signal.aborted) return;
    // Read `followed` after the wait: it includes runs that became visible meanwhile.
    const runs = [...followed].map(([runId, after]) => ({ runId, after }));
    connectedRuns = new Set([...followed.keys()].filter((runId) => startedRuns.has(runId)));
    await options.open(
      { id: options.id, after: feedSeq, runs },
      headers,
      { onMessage: receive, onActivity: () => (lastActivityMs = now()) },
      signal,
    );
  }

  async function run(): Promise<void> {
    let refused = false;
    for (;;) {
      connection = new AbortController();
      const { signal } = connection;
      const startedAtMs = now();
      let error: unknown;
      try {
        await connect(signal, refused);
      } catch (caught) {
        error = caught;
      }
      if (stopped) return;
      if (signal.aborted) continue;
      // A refused credential is renewed without a pause, but only once in a row.
      refused = !refused && isSessionLost(error);
      tries = now() - startedAtMs >= stableMs ? 0 : tries + 1;
      options.onState(tries > 1 ? "offline" : "connecting");
      if (!refused) await waitToRetry(backoffMs(tries, options.random, retryMaxMs));
    }
  }

  async function waitToRetry(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      retryNow = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    retryNow = undefined;
  }

  function reconnect(): void {
    connection.abort(new Error("The event stream reconnects."));
    retryNow?.();
  }

  options.onState("connecting");
  void run();

  return {
    follow(runIds, started) {
      startedRuns = started;
      followed = new Map([...runIds].map((runId) => [runId, followed.get(runId) ?? 0]));
      // Runs that are no longer visible stay on this connection, but their events are lost. If they become visible again,
      // they are requested again.
      connectedRuns = new Set([...connectedRuns].filter((runId) => followed.has(runId)));
      if ([...followed.keys()].some((runId) => started.has(runId) && !connectedRuns.has(runId))) reconnect();
    },
    checkNow() {
      if (retryNow !== undefined) retryNow();
      else if (now() - lastActivityMs > (isConnected ? staleMs : slowAttemptMs)) reconnect();
    },
    restart() {
      feedSeq = undefined;
      tries = 0;
      reconnect();
    },
    stop() {
      stopped = true;
      reconnect();
    },
  };
}
