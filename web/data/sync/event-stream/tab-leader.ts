import { createHub, type Hub } from "./hub.ts";
import type { OpenStream } from "./open-stream.ts";
import { hasLocks, leadWhenFree, untilReleased } from "./locks.ts";
import type { FromHub, HubLink, ToHub } from "./tab-messages.ts";
import { nameHere } from "#web/lib/base-path.ts";

/** What the tabs send to each other over the broadcast channel. */
type ChannelMessage =
  | { type: "to-hub"; tab: string; message: ToHub }
  | { type: "to-tab"; tab: string; message: FromHub }
  /** A tab has become the leader: the others join its hub. */
  | { type: "new-leader" };

/**
 * Connects to the hub in the leading tab over a broadcast channel; when that tab is closed, another one becomes the
 * leader. Calls `onNewLeader` for each new leader. Returns `undefined` if the browser has no locks or no channels.
 */
export function connectToLeader(
  open: OpenStream,
  onMessage: (message: FromHub) => void,
  onNewLeader: () => void,
): HubLink | undefined {
  if (!hasLocks() || typeof BroadcastChannel === "undefined") return undefined;
  const channel = new BroadcastChannel(nameHere("parlance-events"));
  const ownId = crypto.randomUUID();
  const send = (message: ChannelMessage) => channel.postMessage(message);
  let receive: ((tab: string, message: ToHub) => void) | undefined;

  channel.addEventListener("message", ({ data }: MessageEvent<ChannelMessage>) => {
    if (data.type === "new-leader") onNewLeader();
    else if (data.type === "to-hub") receive?.(data.tab, data.message);
    else if (data.tab === ownId) onMessage(data.message);
  });

  const closed = new AbortController();
  leadWhenFree(nameHere("parlance-events-leader"), closed.signal, () => {
    const hub = createHub({ open, untilReleased });
    closed.signal.addEventListener("abort", () => hub.close());
    receive = receiveInHub(hub, (tab, message) =>
      tab === ownId ? onMessage(message) : send({ type: "to-tab", tab, message }),
    );
    send({ type: "new-leader" });
    onNewLeader();
  });

  return {
    post(message) {
      // Without a leader the message is lost; the tab joins again at `onNewLeader`.
      if (receive === undefined) send({ type: "to-hub", tab: ownId, message });
      else receive(ownId, message);
    },
    close() {
      closed.abort();
      channel.close();
    },
  };
}

/** Returns the function that passes a tab's message to the hub. */
function receiveInHub(
  hub: Hub,
  post: (tab: string, message: FromHub) => void,
): (tab: string, message: ToHub) => void {
  const tabs = new Map<string, (message: ToHub) => void>();
  return (id, message) => {
    const receive = tabs.get(id) ?? hub.connect((answer) => post(id, answer));
    tabs.set(id, receive);
    receive(message);
  };
}
