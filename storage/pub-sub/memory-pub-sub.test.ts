import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { createMemoryPubSub } from "./memory-pub-sub.ts";

describe("pub/sub in memory", () => {
  test("notifies the subscribers of a topic until they unsubscribe", () => {
    const pubSub = createMemoryPubSub();
    const heard: string[] = [];
    const stopAda = pubSub.subscribe("run:a", () => heard.push("ada"));
    pubSub.subscribe("run:a", () => heard.push("ben"));
    pubSub.subscribe("run:b", () => heard.push("cora"));
    pubSub.publish(["run:a", "run:none"]);
    expect(heard.splice(0)).toEqual(["ada", "ben"]);
    stopAda();
    stopAda();
    pubSub.publish(["run:a", "run:b"]);
    expect(heard.splice(0)).toEqual(["ben", "cora"]);
    pubSub.publishAll();
    expect(heard).toEqual(["ben", "cora"]);
  });

  test("counts a function that subscribes twice as two subscribers", () => {
    const pubSub = createMemoryPubSub();
    let calls = 0;
    const listener = (): unknown => calls++;
    const stop = pubSub.subscribe("run:a", listener);
    pubSub.subscribe("run:a", listener);
    stop();
    pubSub.publish(["run:a"]);
    expect(calls).toBe(1);
  });

  test("does not notify a listener twice when it unsubscribes and subscribes again while it is called", () => {
    const pubSub = createMemoryPubSub();
    let calls = 0;
    let stop = (): void => {};
    const subscribe = (): void => {
      stop = pubSub.subscribe("run:a", () => {
        calls++;
        stop();
        subscribe();
      });
    };
    subscribe();
    pubSub.publish(["run:a"]);
    expect(calls).toBe(1);
    stop();
    pubSub.publishAll();
    expect(calls).toBe(1);
  });

  test("keeps a listener's error from the publisher and the other listeners, and makes it an uncaught exception", async () => {
    const pubSub = createMemoryPubSub();
    let heard = false;
    pubSub.subscribe("run:a", () => {
      throw new Error("Ben's mistake");
    });
    pubSub.subscribe("run:a", () => (heard = true));
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    try {
      const uncaught = once(process, "uncaughtException");
      pubSub.publish(["run:a"]);
      expect(heard).toBe(true);
      expect(String((await uncaught)[0])).toBe("Error: Ben's mistake");
    } finally {
      for (const other of others) process.on("uncaughtException", other);
    }
  });
});
