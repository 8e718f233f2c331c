import { newId } from "#contract/ids.ts";
import type { LiveMessage } from "#contract/changes.ts";
import type { NumberedRunEvent } from "#contract/run-events.ts";
import { createHeaderRequests } from "./tab-headers.ts";
import {
  createEventStream,
  type ConnectionState,
  type EventStream,
  type EventStreamOptions,
} from "./event-stream.ts";
import type { FromHub, ToHub, WatchedRun } from "./tab-messages.ts";

/** Shares one event stream among the tabs of a browser. Runs in a shared worker, in the leading tab, or in a single tab. */
export type Hub = {
  /** Connects a new tab, to which the hub sends with `post`. Returns the function that passes its messages to the hub. */
  connect: (post: (message: FromHub) => void) => (message: ToHub) => void;
  /** Closes the event stream and disconnects the tabs. */
  close: () => void;
};

type Tab = {
  post: (message: FromHub) => void;
  joined: boolean;
  watched: ReadonlyMap<string, WatchedRun>;
  lastMessageMs: number;
  /** It did not respond to the last request for headers. */
  timedOut: boolean;
};

/** 3 minutes: browsers may run the timers of a background tab only once a minute. */
const silentTabMs = 180_000;
/** 15 s between two `alive` messages, in both directions. */
export const heartbeatMs = 15_000;

export function createHub(
  options: Pick<EventStreamOptions, "open" | "now"> & { untilReleased?: (lock: string) => Promise<void> },
): Hub {
  const now = options.now ?? Date.now;
  const tabs = new Set<Tab>();
  const logs = createRunLogs();
  const streamId = newId("stream");
  const headerRequests = createHeaderRequests();
  let stream: EventStream | undefined;
  let state: ConnectionState = "connecting";
  let listening = false;
  let access: string | undefined;

  const joined = () => [...tabs].filter((tab) => tab.joined);
  const send = (message: FromHub, receivers: Iterable<Tab> = joined()) => {
    for (const tab of receivers) tab.post(message);
  };
  const watchers = (runId: string) => joined().filter((tab) => tab.watched.has(runId));

  function followAccess(next: string | undefined): void {
    access = next;
    if (access !== undefined) send({ type: "access", access });
  }

  function receiveLive(message: LiveMessage): void {
    switch (message.type) {
      case "hello":
        // A later connection resumes where the one before ended. Only what happened before the first one must be read.
        if (!listening) send({ type: "listening", streamId });
        listening = true;
        return followAccess(message.access);
      case "access":
        return followAccess(message.access);
      case "reset":
        return send({ type: "reset" });
      case "change":
        return send({ type: "change", seq: message.seq, change: message.change });
      case "run": {
        const event = { seq: message.seq, event: message.event };
        logs.add(message.run_id, event);
        send({ type: "run-events", runId: message.run_id, events: [event] }, watchers(message.run_id));
        if (message.event.type === "run-end") followUnfinished();
        return;
      }
      case "run-reset":
        logs.end(message.run_id);
        followUnfinished();
        return send({ type: "run-reset", runId: message.run_id }, watchers(message.run_id));
    }
  }

  function startStream(): EventStream {
    return createEventStream({
      ...options,
      id: streamId,
      onMessage: receiveLive,
      headers: async (refused) => await headerRequests.get(headerSources(), refused),
      onState(next) {
        state = next;
        send({ type: "state", state });
      },
    });
  }

  /** The tabs that can supply headers, the most recently active ones first. */
  function headerSources() {
    return joined()
      .toSorted((a, b) => Number(a.timedOut) - Number(b.timedOut) || b.lastMessageMs - a.lastMessageMs)
      .map((tab) => ({
        request: (requestId: number, refused: boolean) =>
          tab.post({ type: "headers-request", requestId, refused }),
        timedOut: () => (tab.timedOut = true),
      }));
  }

  function followWatched(): void {
    logs.keep(new Set(joined().flatMap((tab) => [...tab.watched.keys()])));
    followUnfinished();
  }

  function followUnfinished(): void {
    const started = joined().flatMap((tab) =>
      [...tab.watched.values()].filter((run) => run.isStarting !== true),
    );
    stream?.follow(logs.unfinished(), new Set(started.map(({ runId }) => runId)));
  }

  function join(tab: Tab): void {
    tabs.add(tab);
    tab.joined = true;
    stream ??= startStream();
    followWatched();
    tab.post({ type: "state", state });
    if (!listening) return;
    tab.post({ type: "listening", streamId });
    if (access !== undefined) tab.post({ type: "access", access });
  }

  function watch(tab: Tab, runs: WatchedRun[]): void {
    tab.watched = new Map(runs.map((run) => [run.runId, run]));
    for (const { runId, after } of runs) {
      const events = logs.after(runId, after);
      if (events.length > 0) tab.post({ type: "run-events", runId, events });
    }
    followWatched();
  }

  function restart(): void {
    listening = false;
    access = undefined;
    send({ type: "person-changed" });
    stream?.restart();
  }

  function remove(tab: Tab): void {
    if (!tabs.delete(tab)) return;
    if (joined().length > 0) return followWatched();
    stream?.stop();
    stream = undefined;
    listening = false;
    logs.keep(new Set());
  }

  function receive(tab: Tab, message: ToHub): void {
    tab.lastMessageMs = now();
    tab.timedOut = false;
    // A tab that was removed as silent was only suspended, or the user navigated back to it.
    if (tab.joined && !tabs.has(tab)) join(tab);
    switch (message.type) {
      case "join":
        if (message.lock !== undefined) void options.untilReleased?.(message.lock).then(() => remove(tab));
        return join(tab);
      case "watch":
        return watch(tab, message.runs);
      case "headers":
        return headerRequests.receive(message.requestId, message.headers);
      case "check":
        return stream?.checkNow();
      case "person-changed":
        return restart();
      case "leave":
        return remove(tab);
      case "alive":
        return;
    }
  }

  const heartbeat = setInterval(() => {
    for (const tab of joined()) if (now() - tab.lastMessageMs > silentTabMs) remove(tab);
    send({ type: "alive" });
  }, heartbeatMs);

  return {
    connect(post) {
      const tab: Tab = { post, joined: false, watched: new Map(), lastMessageMs: now(), timedOut: false };
      tabs.add(tab);
      return (message) => receive(tab, message);
    },
    close() {
      clearInterval(heartbeat);
      for (const tab of tabs) remove(tab);
    },
  };
}

/**
 * The received events of the visible runs, each from its first event, so that a tab that joins later gets the same
 * events without another request to the server.
 */
type RunLogs = {
  /** Keeps the logs of these runs and drops all others. */
  keep: (runIds: ReadonlySet<string>) => void;
  add: (runId: string, event: NumberedRunEvent) => void;
  after: (runId: string, seq: number) => NumberedRunEvent[];
  /** Marks the run as ended: its log was deleted on the server. */
  end: (runId: string) => void;
  /** The kept runs that have not ended. */
  unfinished: () => Set<string>;
};

function createRunLogs(): RunLogs {
  let logs = new Map<string, { events: NumberedRunEvent[]; ended: boolean }>();
  return {
    keep(runIds) {
      logs = new Map([...runIds].map((runId) => [runId, logs.get(runId) ?? { events: [], ended: false }]));
    },
    add(runId, event) {
      const log = logs.get(runId);
      if (log === undefined) return;
      log.events.push(event);
      if (event.event.type === "run-end") log.ended = true;
    },
    after: (runId, seq) => logs.get(runId)?.events.filter((event) => event.seq > seq) ?? [],
    end(runId) {
      const log = logs.get(runId);
      if (log !== undefined) log.ended = true;
    },
    unfinished: () => new Set([...logs].filter(([, log]) => !log.ended).map(([runId]) => runId)),
  };
}
