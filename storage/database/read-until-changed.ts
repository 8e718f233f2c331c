import type { Database } from "./database.ts";

/** Returns a function that calls `read` once, and again after `topic` was published. A failed read is not kept. */
export function readUntilChanged<T>(db: Database, topic: string, read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  db.pubSub.subscribe(topic, () => (current = undefined));
  return async () => {
    const reading = (current ??= read());
    try {
      return await reading;
    } catch (error) {
      if (current === reading) current = undefined;
      throw error;
    }
  };
}
