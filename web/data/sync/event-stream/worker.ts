import { createOpenStream } from "./open-stream.ts";
import { batchRunEvents } from "./batch-run-events.ts";
import { createHub } from "./hub.ts";
import { untilReleased } from "./locks.ts";
import type { ToHub } from "./tab-messages.ts";

// The shared worker: all tabs of the browser use it, and so share one connection. Its name ends with the service's base
// URL.
type SharedScope = {
  name: string;
  addEventListener(type: "connect", listener: (event: MessageEvent) => void): void;
};

const scope = globalThis as unknown as SharedScope;
const hub = createHub({
  open: createOpenStream({
    baseUrl: scope.name.slice(scope.name.indexOf(" ") + 1),
    fetch: async (url, init) => await fetch(url, init),
  }),
  untilReleased,
});

scope.addEventListener("connect", (event) => {
  const port = event.ports[0];
  if (port === undefined) return;
  const receive = hub.connect(batchRunEvents((message) => port.postMessage(message)));
  port.addEventListener("message", ({ data }: MessageEvent<ToHub>) => receive(data));
  port.start();
});
