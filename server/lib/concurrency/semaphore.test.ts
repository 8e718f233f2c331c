import { expect, test } from "vitest";
import { createSemaphore } from "./semaphore.ts";

test("gives slots in order, and none to callers that left", async () => {
  const semaphore = createSemaphore({ max: 2 });
  const entered: string[] = [];
  const enter = async (name: string, signal?: AbortSignal) => {
    await semaphore.acquire(signal);
    entered.push(name);
  };
  await enter("a");
  await enter("b");
  const leaving = new AbortController();
  const left = enter("c", leaving.signal);
  const [d, e] = [enter("d"), enter("e")];
  leaving.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  expect(entered).toEqual(["a", "b"]);
  semaphore.release();
  await d;
  expect(entered).toEqual(["a", "b", "d"]);
  semaphore.release();
  await e;
  expect(entered).toEqual(["a", "b", "d", "e"]);
});

test("refuses more waiting callers than it may have, and releases the slot of work that fails", async () => {
  const semaphore = createSemaphore({ max: 1, waitingMax: 1, fullError: () => new Error("full") });
  const { promise, reject } = Promise.withResolvers<void>();
  const failing = semaphore.run(async () => await promise);
  const next = semaphore.run(() => Promise.resolve("next"));
  await expect(semaphore.run(() => Promise.resolve("third"))).rejects.toThrow("full");
  reject(new Error("failed"));
  await expect(failing).rejects.toThrow("failed");
  expect(await next).toBe("next");
});
