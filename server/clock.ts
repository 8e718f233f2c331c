import { setTimeout as sleepFor } from "node:timers/promises";

/** Time, passed in wherever it matters, so that tests hold it in their hands. */
export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. Does not keep the process alive. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    await sleepFor(ms, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) });
  },
};
