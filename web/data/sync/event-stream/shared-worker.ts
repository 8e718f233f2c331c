import type { FromHub, HubLink } from "./tab-messages.ts";

/** 4 s: a worker that has sent no message by then did not start (it is blocked, or its script did not load). */
const startMs = 4_000;

/**
 * Connects to the hub in a shared worker. Calls `onFailure`, once, if the worker does not start. Returns `undefined` if
 * the browser has no shared workers.
 */
export function connectToSharedWorker(
  baseUrl: string,
  onMessage: (message: FromHub) => void,
  onFailure: () => void,
): HubLink | undefined {
  if (typeof SharedWorker === "undefined") return undefined;
  const worker = startWorker(baseUrl);
  if (worker === undefined) return undefined;
  const { port } = worker;
  const fail = () => {
    clearTimeout(timer);
    worker.removeEventListener("error", fail);
    port.close();
    onFailure();
  };
  const timer = setTimeout(fail, startMs);
  worker.addEventListener("error", fail);
  port.addEventListener("message", ({ data }: MessageEvent<FromHub>) => {
    clearTimeout(timer);
    onMessage(data);
  });
  port.start();
  return {
    post: (message) => port.postMessage(message),
    close() {
      clearTimeout(timer);
      port.close();
    },
  };
}

function startWorker(baseUrl: string): SharedWorker | undefined {
  try {
    return new SharedWorker(new URL("./worker.ts", import.meta.url), {
      type: "module",
      name: `parlance ${baseUrl}`,
    });
  } catch {
    return undefined;
  }
}
