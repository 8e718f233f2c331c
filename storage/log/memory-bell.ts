import { setImmediate } from "node:timers";
import type { Bell } from "./bell.ts";

/** A bell within one process. */
export type MemoryBell = Bell & {
  /** Rings every topic that somebody listens to, for when rings may have been missed. */
  ringAll(): void;
};

export function createMemoryBell(): MemoryBell {
  const listeners = new Map<string, Set<() => void>>();

  function ring(topics: Iterable<string>): void {
    for (const topic of topics) {
      // Copied: who hears may stop listening, or listen anew.
      const hearing = [...(listeners.get(topic) ?? [])];
      for (const heard of hearing) tell(heard);
    }
  }

  return {
    ring,
    ringAll: () => ring([...listeners.keys()]),
    listen(topic, heard) {
      const own = (): void => heard();
      const ofTopic = listeners.get(topic) ?? new Set();
      listeners.set(topic, ofTopic.add(own));
      return () => {
        ofTopic.delete(own);
        if (ofTopic.size === 0 && listeners.get(topic) === ofTopic) listeners.delete(topic);
      };
    },
  };
}

/** A listener's mistake is not the ringer's, whose transaction is committed, nor another listener's. */
function tell(heard: () => void): void {
  try {
    heard();
  } catch (error) {
    setImmediate(() => {
      throw error;
    });
  }
}
