import type { LiveMessage } from "#contract/changes.ts";
import { createHeadersDesk } from "./tab-headers.ts";
import { createLine, type Line, type LineOptions, type LineState } from "./event-stream.ts";
import { createRunLogs } from "./run-log.ts";
import type { FromHub, ToHub } from "./tab-messages.ts";

/** Shares one line among the tabs of a browser: in a shared worker, in one of the tabs, or for a single tab. */
export type Hub = {
  /** A new tab; `post` reaches it. */
  connect: (post: (message: FromHub) => void) => HubTab;
};

export type HubTab = {
  receive: (message: ToHub) => void;
  /** The tab is closed. */
  gone: () => void;
};

type Tab = {
  post: (message: FromHub) => void;
  joined: boolean;
  watched: Set<string>;
  heardAtMs: number;
  asleep: boolean;
};

/** A tab in the background may be let speak once a minute only; three such minutes without a word, and it is gone. */
const silentTabMs = 180_000;
/** How often the hub says that it is there. */
export const hubAliveMs = 15_000;

export function createHub(
  options: Pick<LineOptions, "open" | "now"> & { untilReleased?: (lock: string) => Promise<void> },
): Hub {
  const now = options.now ?? Date.now;
  const tabs = new Set<Tab>();
  const logs = createRunLogs();
  const desk = createHeadersDesk();
  let line: Line | undefined;
  let state: LineState = "connecting";
  let listening = false;

  const joined = () => [...tabs].filter((tab) => tab.joined);
  const tell = (message: FromHub, among: Iterable<Tab> = joined()) => {
    for (const tab of among) tab.post(message);
  };
  const watchers = (runId: string) => joined().filter((tab) => tab.watched.has(runId));

  function heard(message: LiveMessage): void {
    switch (message.type) {
      case "hello":
        // The first hello of a line: what came before it was not heard. A later one goes on where the line broke off.
        if (!listening) tell({ type: "listening" });
        listening = true;
        return;
      case "reset":
        return tell({ type: "reset" });
      case "change":
        return tell({ type: "change", seq: message.seq, change: message.change });
      case "run": {
        const event = { seq: message.seq, event: message.event };
        logs.add(message.run_id, event);
        tell({ type: "run-events", runId: message.run_id, events: [event] }, watchers(message.run_id));
        if (message.event.type === "run-end") line?.follow(logs.open());
        return;
      }
      case "run-reset":
        logs.end(message.run_id);
        line?.follow(logs.open());
        return tell({ type: "run-reset", runId: message.run_id }, watchers(message.run_id));
    }
  }

  function begin(): Line {
    return createLine({
      ...options,
      heard,
      headers: async (refused) => await desk.want(wakefulFirst(), refused),
      stateIs(next) {
        state = next;
        tell({ type: "state", state });
      },
    });
  }

  function wakefulFirst() {
    return joined()
      .toSorted((a, b) => Number(a.asleep) - Number(b.asleep) || b.heardAtMs - a.heardAtMs)
      .map((tab) => ({
        ask: (request: number, refused: boolean) => tab.post({ type: "headers-wanted", request, refused }),
        sleeps: () => (tab.asleep = true),
      }));
  }

  function followWatched(): void {
    logs.keep(new Set(joined().flatMap((tab) => [...tab.watched])));
    line?.follow(logs.open());
  }

  function join(tab: Tab): void {
    tabs.add(tab);
    tab.joined = true;
    line ??= begin();
    followWatched();
    tab.post({ type: "state", state });
    if (listening) tab.post({ type: "listening" });
  }

  function watch(tab: Tab, runs: { runId: string; after: number }[]): void {
    tab.watched = new Set(runs.map((run) => run.runId));
    for (const { runId, after } of runs) {
      const events = logs.after(runId, after);
      if (events.length > 0) tab.post({ type: "run-events", runId, events });
    }
    followWatched();
  }

  function restart(): void {
    listening = false;
    tell({ type: "person-changed" });
    line?.restart();
  }

  function remove(tab: Tab): void {
    if (!tabs.delete(tab)) return;
    if (joined().length > 0) return followWatched();
    line?.stop();
    line = undefined;
    listening = false;
    logs.keep(new Set());
  }

  setInterval(() => {
    for (const tab of joined()) if (now() - tab.heardAtMs > silentTabMs) remove(tab);
    tell({ type: "alive" });
  }, hubAliveMs);

  return {
    connect(post) {
      const tab: Tab = { post, joined: false, watched: new Set(), heardAtMs: now(), asleep: false };
      tabs.add(tab);
      return {
        gone: () => remove(tab),
        receive(message) {
          tab.heardAtMs = now();
          tab.asleep = false;
          // It was taken for gone, but only slept, or came back from the browser's history.
          if (tab.joined && !tabs.has(tab)) join(tab);
          switch (message.type) {
            case "join":
              if (message.lock !== undefined)
                void options.untilReleased?.(message.lock).then(() => remove(tab));
              return join(tab);
            case "watch":
              return watch(tab, message.runs);
            case "headers":
              return desk.answer(message.request, message.headers);
            case "nudge":
              return line?.nudge();
            case "person-changed":
              return restart();
            case "leave":
              return remove(tab);
            case "alive":
              return;
          }
        },
      };
    },
  };
}
