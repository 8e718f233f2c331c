import { setImmediate as yieldToEventLoop } from "node:timers/promises";

/** How long to work before other tasks run. */
const sliceMs = 5;

/** Returns a function to call between the steps of long work. It yields to the event loop every 5 ms. */
export function createYielder(): () => Promise<void> {
  let startedMs = performance.now();
  return async () => {
    if (performance.now() - startedMs < sliceMs) return;
    await yieldToEventLoop();
    startedMs = performance.now();
  };
}
