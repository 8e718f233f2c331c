import { unlessAborted } from "../lib/unless-aborted.ts";

/** Lets each name have one thing under way at a time, so that nobody fills the line that all stand in. */
export type Lanes = <T>(name: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

export function createLanes(): Lanes {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work, signal) => {
    const before = last.get(name) ?? Promise.resolve();
    const mine = before.then(async () => {
      signal.throwIfAborted();
      return await work();
    });
    const over = mine.then(
      () => {},
      () => {},
    );
    last.set(name, over);
    void over.then(() => last.get(name) === over && last.delete(name));
    return await unlessAborted(mine, signal);
  };
}
