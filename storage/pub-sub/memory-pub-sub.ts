import { setImmediate } from "node:timers";
import type { PubSub } from "./pub-sub.ts";

/** Pub/sub within one process. */
export type MemoryPubSub = PubSub & {
  /** Publishes every topic that has subscribers, for when notifications may have been missed. */
  publishAll(): void;
};

export function createMemoryPubSub(): MemoryPubSub {
  const subscribers = new Map<string, Set<() => void>>();

  function publish(topics: Iterable<string>): void {
    for (const topic of topics) {
      // A copy, because listeners may subscribe and unsubscribe.
      const listeners = [...(subscribers.get(topic) ?? [])];
      for (const listener of listeners) call(listener);
    }
  }

  return {
    publish,
    publishAll: () => publish([...subscribers.keys()]),
    subscribe(topic, listener) {
      // A new function, so that the same listener can subscribe twice.
      const own = (): void => listener();
      const ofTopic = subscribers.get(topic) ?? new Set();
      subscribers.set(topic, ofTopic.add(own));
      return () => {
        ofTopic.delete(own);
        if (ofTopic.size === 0 && subscribers.get(topic) === ofTopic) subscribers.delete(topic);
      };
    },
  };
}

/** Keeps an error of one listener from the publisher, whose transaction is committed, and from the other listeners. */
function call(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    setImmediate(() => {
      throw error;
    });
  }
}
