import type { LineState } from "./event-stream.ts";
import { linkByLeader } from "./tab-leader.ts";
import { linkByWorker } from "./shared-worker.ts";
import type { OpenLine } from "./open-stream.ts";
import { createHub, hubAliveMs } from "./hub.ts";
import { holdOwnLock } from "./locks.ts";
import type { FromHub, HubLink, ToHub } from "./tab-messages.ts";

/** This tab's end of the browser's one line. */
export type TabLine = {
  /** The runs that this tab shows, each from the last number it has. */
  watch: (runs: { runId: string; after: number }[]) => void;
  personChanged: () => void;
};

export type TabLineOptions = {
  baseUrl: string;
  open: OpenLine;
  headers: (refused: boolean) => Promise<Record<string, string>>;
  heard: (message: Exclude<FromHub, { type: "state" | "headers-wanted" | "alive" }>) => void;
  stateIs: (state: LineState) => void;
};

/** A hub says a word each 15 s; after three and a bit without one it is taken for dead. */
const silentHubMs = 3 * hubAliveMs + 10_000;

/** Joins the line: in a shared worker, else in a tab that leads, else one of its own. */
export function joinLine(options: TabLineOptions): TabLine {
  const lock = holdOwnLock();
  let link: HubLink | undefined;
  let watched: { runId: string; after: number }[] = [];
  let heardAtMs = Date.now();

  function heard(message: FromHub): void {
    heardAtMs = Date.now();
    if (message.type === "state") options.stateIs(message.state);
    else if (message.type === "headers-wanted") void answer(message.request, message.refused);
    else if (message.type !== "alive") options.heard(message);
  }

  async function answer(request: number, refused: boolean): Promise<void> {
    const headers = await options.headers(refused).catch(() => null);
    post({ type: "headers", request, headers });
  }

  function post(message: ToHub): void {
    link?.post(message);
  }

  async function join(): Promise<void> {
    const to = link;
    const held = await lock;
    if (to !== link) return;
    post({ type: "join", lock: held });
    post({ type: "watch", runs: watched });
  }

  function connect(workerAllowed: boolean): void {
    link?.close();
    heardAtMs = Date.now();
    const byWorker = workerAllowed ? linkByWorker(options.baseUrl, heard, () => connect(false)) : undefined;
    link = byWorker ?? linkByLeader(options.open, heard, () => void join()) ?? alone(options.open, heard);
    void join();
  }

  connect(true);
  setInterval(() => {
    post({ type: "alive" });
    if (document.visibilityState === "visible" && Date.now() - heardAtMs > silentHubMs) connect(true);
  }, hubAliveMs);
  window.addEventListener("online", () => post({ type: "nudge" }));
  document.addEventListener(
    "visibilitychange",
    () => document.visibilityState === "visible" && post({ type: "nudge" }),
  );
  window.addEventListener("pagehide", () => post({ type: "leave" }));
  window.addEventListener("pageshow", (event) => event.persisted && void join());

  return {
    watch(runs) {
      watched = runs;
      post({ type: "watch", runs });
    },
    personChanged: () => post({ type: "person-changed" }),
  };
}

function alone(open: OpenLine, heard: (message: FromHub) => void): HubLink {
  const tab = createHub({ open }).connect(heard);
  return { post: (message) => tab.receive(message), close: () => tab.gone() };
}
