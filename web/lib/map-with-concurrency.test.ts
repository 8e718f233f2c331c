import { expect, test } from "vitest";
import { mapWithConcurrency } from "./map-with-concurrency.ts";

const numbers = Array.from({ length: 30 }, (_, number) => number);

test("runs for each item in order, at most four at a time", async () => {
  let under = 0;
  let most = 0;
  const begun: number[] = [];
  const { done, failed } = await mapWithConcurrency(numbers, async (number) => {
    begun.push(number);
    most = Math.max(most, ++under);
    await Promise.resolve();
    under--;
  });
  expect([begun, done, failed, most]).toEqual([numbers, numbers, [], 4]);
});

test("returns which items failed and why, and runs the others", async () => {
  const { done, failed } = await mapWithConcurrency(numbers, async (number) => {
    if (number % 10 === 0) throw new Error(`no ${number}`);
  });
  expect(done).toHaveLength(27);
  expect(failed).toEqual([0, 10, 20].map((item) => ({ item, error: new Error(`no ${item}`) })));
});

test("returns an empty outcome for an empty list", async () => {
  expect(await mapWithConcurrency([], async () => expect.unreachable())).toEqual({ done: [], failed: [] });
});
