import type { FromHub, HubLink } from "./tab-messages.ts";

/** 4 s: a worker that has not said its first word by then did not start (blocked, or its file did not load). */
const startMs = 4_000;

/**
 * The hub in a shared worker. `failed` is called, once, when it does not start; `undefined` where the browser has no
 * shared workers.
 */
export function linkByWorker(
  baseUrl: string,
  heard: (message: FromHub) => void,
  failed: () => void,
): HubLink | undefined {
  if (typeof SharedWorker === "undefined") return undefined;
  const worker = startWorker(baseUrl);
  if (worker === undefined) return undefined;
  const { port } = worker;
  const giveUp = () => {
    clearTimeout(timer);
    worker.removeEventListener("error", giveUp);
    port.close();
    failed();
  };
  const timer = setTimeout(giveUp, startMs);
  worker.addEventListener("error", giveUp);
  port.addEventListener("message", ({ data }: MessageEvent<FromHub>) => {
    clearTimeout(timer);
    heard(data);
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
