import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { createMemoryBell } from "./memory-bell.ts";

describe("a bell", () => {
  test("is heard by those who listen to the topic, until they stop", () => {
    const bell = createMemoryBell();
    const heard: string[] = [];
    const stopAda = bell.listen("run:a", () => heard.push("ada"));
    bell.listen("run:a", () => heard.push("ben"));
    bell.listen("run:b", () => heard.push("cora"));
    bell.ring(["run:a", "run:none"]);
    expect(heard.splice(0)).toEqual(["ada", "ben"]);
    stopAda();
    stopAda();
    bell.ring(["run:a", "run:b"]);
    expect(heard.splice(0)).toEqual(["ben", "cora"]);
    bell.ringAll();
    expect(heard).toEqual(["ben", "cora"]);
  });

  test("takes one function for several listeners", () => {
    const bell = createMemoryBell();
    let rung = 0;
    const heard = (): unknown => rung++;
    const stop = bell.listen("run:a", heard);
    bell.listen("run:a", heard);
    stop();
    bell.ring(["run:a"]);
    expect(rung).toBe(1);
  });

  test("is not heard twice by who stops and listens anew on hearing", () => {
    const bell = createMemoryBell();
    let rung = 0;
    let stop = (): void => {};
    const listen = (): void => {
      stop = bell.listen("run:a", () => {
        rung++;
        stop();
        listen();
      });
    };
    listen();
    bell.ring(["run:a"]);
    expect(rung).toBe(1);
    stop();
    bell.ringAll();
    expect(rung).toBe(1);
  });

  test("keeps a listener's mistake from the ringer and from the other listeners, and from being overlooked", async () => {
    const bell = createMemoryBell();
    let heard = false;
    bell.listen("run:a", () => {
      throw new Error("Ben's mistake");
    });
    bell.listen("run:a", () => (heard = true));
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    try {
      const uncaught = once(process, "uncaughtException");
      bell.ring(["run:a"]);
      expect(heard).toBe(true);
      expect(String((await uncaught)[0])).toBe("Error: Ben's mistake");
    } finally {
      for (const other of others) process.on("uncaughtException", other);
    }
  });
});
