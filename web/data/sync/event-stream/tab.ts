import type { ConnectionState } from "./event-stream.ts";
import { connectToLeader } from "./tab-leader.ts";
import { connectToSharedWorker } from "./shared-worker.ts";
import type { OpenStream } from "./open-stream.ts";
import { createHub, heartbeatMs } from "./hub.ts";
import { holdOwnLock } from "./locks.ts";
import type { FromHub, HubLink, ToHub, WatchedRun } from "./tab-messages.ts";

/** This tab's view of the event stream that all tabs of the browser share. */
export type TabStream = {
  /** Sets the runs that this tab shows. */
  watch: (runs: WatchedRun[]) => void;
  personChanged: () => void;
};

/** What the rest of the tab receives; `joinEventStream` handles the other messages itself. */
export type TabMessage = Exclude<FromHub, { type: "state" | "headers-request" | "alive" }>;

export type TabStreamOptions = {
  baseUrl: string;
  open: OpenStream;
  headers: (refused: boolean) => Promise<Record<string, string>>;
  onMessage: (message: TabMessage) => void;
  onState: (state: ConnectionState) => void;
};

/** 55 s: a hub that missed three heartbeats is considered dead. */
const silentHubMs = 3 * heartbeatMs + 10_000;

/** Joins the shared event stream: in a shared worker, or else in a leading tab, or else in a hub of this tab alone. */
export function joinEventStream(options: TabStreamOptions): TabStream {
  const lock = holdOwnLock();
  let link: HubLink | undefined;
  let watched: WatchedRun[] = [];
  let lastMessageMs = Date.now();

  function receive(message: FromHub): void {
    lastMessageMs = Date.now();
    if (message.type === "state") options.onState(message.state);
    else if (message.type === "headers-request") void sendHeaders(message.requestId, message.refused);
    else if (message.type !== "alive") options.onMessage(message);
  }

  async function sendHeaders(requestId: number, refused: boolean): Promise<void> {
    const headers = await options.headers(refused).catch(() => null);
    post({ type: "headers", requestId, headers });
  }

  function post(message: ToHub): void {
    link?.post(message);
  }

  async function join(): Promise<void> {
    const joinedLink = link;
    const ownLock = await lock;
    if (joinedLink !== link) return;
    post({ type: "join", lock: ownLock });
    post({ type: "watch", runs: watched });
  }

  function connect(tryWorker: boolean): void {
    link?.close();
    lastMessageMs = Date.now();
    const worker = tryWorker
      ? connectToSharedWorker(options.baseUrl, receive, () => connect(false))
      : undefined;
    link =
      worker ?? connectToLeader(options.open, receive, () => void join()) ?? ownHub(options.open, receive);
    void join();
  }

  connect(true);
  setInterval(() => {
    post({ type: "alive" });
    if (document.visibilityState === "visible" && Date.now() - lastMessageMs > silentHubMs) connect(true);
  }, heartbeatMs);
  window.addEventListener("online", () => post({ type: "check" }));
  document.addEventListener(
    "visibilitychange",
    () => document.visibilityState === "visible" && post({ type: "check" }),
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

function ownHub(open: OpenStream, onMessage: (message: FromHub) => void): HubLink {
  const hub = createHub({ open });
  return { post: hub.connect(onMessage), close: hub.close };
}
