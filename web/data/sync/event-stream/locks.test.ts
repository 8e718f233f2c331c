import { expect, test } from "vitest";
import { holdOwnLock, untilReleased } from "./locks.ts";

test("returns the name of its lock only once it holds it", async () => {
  const name = await holdOwnLock();
  const { held } = await navigator.locks.query();
  expect(held?.map((lock) => lock.name)).toContain(name);
  let released = false;
  void untilReleased(name ?? "").then(() => (released = true));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(released).toBe(false);
});

test("resolves when a lock is released", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  void navigator.locks.request("a-tab", async () => await promise);
  let isReleased = false;
  const done = untilReleased("a-tab").then(() => (isReleased = true));
  await new Promise((wait) => setTimeout(wait, 20));
  expect(isReleased).toBe(false);
  resolve();
  await done;
  expect(isReleased).toBe(true);
});
