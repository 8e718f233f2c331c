import { expect, test } from "vitest";
import { inTurns } from "./map-with-concurrency.ts";

const numbers = Array.from({ length: 30 }, (_, number) => number);

test("does it to each, in order, and never to more than four at once", async () => {
  let under = 0;
  let most = 0;
  const begun: number[] = [];
  const { done, failed } = await inTurns(numbers, async (number) => {
    begun.push(number);
    most = Math.max(most, ++under);
    await Promise.resolve();
    under--;
  });
  expect([begun, done, failed, most]).toEqual([numbers, numbers, [], 4]);
});

test("says which failed and why, and does the others all the same", async () => {
  const { done, failed } = await inTurns(numbers, async (number) => {
    if (number % 10 === 0) throw new Error(`no ${number}`);
  });
  expect(done).toHaveLength(27);
  expect(failed).toEqual([0, 10, 20].map((item) => ({ item, error: new Error(`no ${item}`) })));
});

test("has nothing to do with nothing", async () => {
  expect(await inTurns([], async () => expect.unreachable())).toEqual({ done: [], failed: [] });
});
