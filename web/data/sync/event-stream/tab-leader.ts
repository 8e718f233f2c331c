import { createHub, type HubTab } from "./hub.ts";
import type { OpenLine } from "./open-stream.ts";
import { hasLocks, leadWhenFree, untilReleased } from "./locks.ts";
import type { FromHub, HubLink, ToHub } from "./tab-messages.ts";

/** What goes over the channel between tabs. */
type Letter =
  | { type: "to-hub"; tab: string; message: ToHub }
  | { type: "to-tab"; tab: string; message: FromHub }
  /** A tab has begun to lead: the others join it. */
  | { type: "new-leader" };

/**
 * The hub in one of the tabs, which the others reach over a channel; when that tab goes, the next one leads.
 * `reachable` is called whenever there is a new leader. `undefined` where the browser lacks locks or channels.
 */
export function linkByLeader(
  open: OpenLine,
  heard: (message: FromHub) => void,
  reachable: () => void,
): HubLink | undefined {
  if (!hasLocks() || typeof BroadcastChannel === "undefined") return undefined;
  const channel = new BroadcastChannel("parlance-line");
  const self = crypto.randomUUID();
  const send = (letter: Letter) => channel.postMessage(letter);
  let receive: ((tab: string, message: ToHub) => void) | undefined;

  channel.addEventListener("message", ({ data }: MessageEvent<Letter>) => {
    if (data.type === "new-leader") reachable();
    else if (data.type === "to-hub") receive?.(data.tab, data.message);
    else if (data.tab === self) heard(data.message);
  });

  leadWhenFree("parlance-line-leader", () => {
    receive = desk(open, (tab, message) =>
      tab === self ? heard(message) : send({ type: "to-tab", tab, message }),
    );
    send({ type: "new-leader" });
    reachable();
  });

  return {
    post(message) {
      // Before anyone leads the word is lost; then `reachable` comes later.
      if (receive === undefined) send({ type: "to-hub", tab: self, message });
      else receive(self, message);
    },
    close: () => channel.close(),
  };
}

function desk(
  open: OpenLine,
  post: (tab: string, message: FromHub) => void,
): (tab: string, message: ToHub) => void {
  const hub = createHub({ open, untilReleased });
  const tabs = new Map<string, HubTab>();
  return (id, message) => {
    let tab = tabs.get(id);
    if (tab === undefined) {
      tab = hub.connect((answer) => post(id, answer));
      tabs.set(id, tab);
    }
    tab.receive(message);
  };
}
