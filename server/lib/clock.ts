import { setTimeout as sleepFor } from "node:timers/promises";

/** Time, passed in wherever it matters, so that tests hold it in their hands. */
export type Clock = {
  /** Milliseconds since 1970. An operator, a time server or a wake from sleep may move it, by hours. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. Does not keep the process alive. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

/** A clock that also says how long something takes or stands, whatever is done to the wall's. */
export type SteadyClock = Clock & {
  /** Milliseconds since some moment of this process. Nothing moves it. */
  elapsedMs(): number;
};

export const systemClock: SteadyClock = {
  now: () => Date.now(),
  elapsedMs: () => performance.now(),
  async sleep(ms, signal) {
    await sleepFor(ms, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) });
  },
};
