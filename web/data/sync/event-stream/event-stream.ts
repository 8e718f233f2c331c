import type { LiveMessage } from "#contract/changes.ts";
import { backoffMs } from "#web/lib/backoff.ts";
import { isSessionLost } from "#web/data/call.ts";
import type { OpenLine } from "./open-stream.ts";

/** How the line stands: `connecting` while it is tried for the first times, `offline` once that has failed. */
export type LineState = "connecting" | "online" | "offline";

/**
 * The one connection that a browser keeps to the service: the feed of changes and the events of the runs in view. It
 * comes back by itself, each topic from the last number that was heard of it, so that nothing is missed and nothing
 * heard twice.
 */
export type Line = {
  /** Follows these runs and no other; one that was not followed before is heard from its first event. */
  follow: (runIds: ReadonlySet<string>) => void;
  /** A good moment to try again: the network came back, or a person looks. */
  nudge: () => void;
  /** Another person is signed in: starts afresh, from now. */
  restart: () => void;
  stop: () => void;
};

export type LineOptions = {
  open: OpenLine;
  /** Who asks; `refused` says that the service did not take the headers of the last time. */
  headers: (refused: boolean) => Promise<Record<string, string>>;
  heard: (message: LiveMessage) => void;
  stateIs: (state: LineState) => void;
  now?: () => number;
  random?: () => number;
};

/** A connection that held this long was a good one: the next break is tried again at once. */
const goodMs = 5_000;
/** A line that a person comes back to and that said nothing for a heartbeat of 15 s and a bit is opened anew. */
const doubtfulMs = 20_000;

export function createLine(options: LineOptions): Line {
  const now = options.now ?? Date.now;
  let feedSeq: number | undefined;
  /** Each run's last heard number. */
  let followed = new Map<string, number>();
  /** What the open connection carries. */
  let carried: ReadonlySet<string> = new Set();
  let stopped = false;
  let tries = 0;
  let heardAtMs = 0;
  let connection = new AbortController();
  let waiting: (() => void) | undefined;

  function heard(message: LiveMessage): void {
    if (message.type === "hello" || message.type === "reset") feedSeq = message.seq;
    if (message.type === "hello") options.stateIs("online");
    if (message.type === "change") {
      if (feedSeq !== undefined && message.seq <= feedSeq) return;
      feedSeq = message.seq;
    }
    if (message.type === "run") {
      const seq = followed.get(message.run_id);
      if (seq === undefined || message.seq <= seq) return;
      followed.set(message.run_id, message.seq);
    }
    options.heard(message);
  }

  async function connect(signal: AbortSignal, refused: boolean): Promise<void> {
    heardAtMs = now();
    const headers = await options.headers(refused);
    if (signal.aborted) return;
    // Read after the wait, so that runs which came into view meanwhile are carried.
    const runs = [...followed].map(([runId, after]) => ({ runId, after }));
    carried = new Set(followed.keys());
    await options.open(
      { after: feedSeq, runs },
      headers,
      { heard, alive: () => (heardAtMs = now()) },
      signal,
    );
  }

  async function run(): Promise<void> {
    let refused = false;
    for (;;) {
      connection = new AbortController();
      const { signal } = connection;
      const begunAtMs = now();
      let error: unknown;
      try {
        await connect(signal, refused);
      } catch (caught) {
        error = caught;
      }
      if (stopped) return;
      if (signal.aborted) continue;
      // A refused credential is renewed at once, but only once in a row.
      refused = !refused && isSessionLost(error);
      tries = now() - begunAtMs >= goodMs ? 0 : tries + 1;
      options.stateIs(tries > 1 ? "offline" : "connecting");
      if (!refused) await wait(backoffMs(tries, options.random));
    }
  }

  async function wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      waiting = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    waiting = undefined;
  }

  function reopen(): void {
    connection.abort(new Error("the line goes on elsewhere"));
    waiting?.();
  }

  options.stateIs("connecting");
  void run();

  return {
    follow(runIds) {
      followed = new Map([...runIds].map((runId) => [runId, followed.get(runId) ?? 0]));
      // Runs that left the view ride along until there is another reason to open the line anew.
      if ([...followed.keys()].some((runId) => !carried.has(runId))) reopen();
    },
    nudge() {
      if (waiting !== undefined) waiting();
      else if (now() - heardAtMs > doubtfulMs) reopen();
    },
    restart() {
      feedSeq = undefined;
      tries = 0;
      reopen();
    },
    stop() {
      stopped = true;
      reopen();
    },
  };
}
