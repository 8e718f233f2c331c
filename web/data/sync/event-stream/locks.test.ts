import { expect, test } from "vitest";
import { holdOwnLock, untilReleased } from "./locks.ts";

test("names its lock only once it holds it, so that nobody takes the page for gone", async () => {
  const name = await holdOwnLock();
  const { held } = await navigator.locks.query();
  expect(held?.map((lock) => lock.name)).toContain(name);
  let released = false;
  void untilReleased(name ?? "").then(() => (released = true));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(released).toBe(false);
});

test("hears when a lock is let go", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  void navigator.locks.request("a-tab", async () => await promise);
  let isGone = false;
  const gone = untilReleased("a-tab").then(() => (isGone = true));
  await new Promise((wait) => setTimeout(wait, 20));
  expect(isGone).toBe(false);
  resolve();
  await gone;
  expect(isGone).toBe(true);
});
