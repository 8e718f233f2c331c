import { expect, test } from "vitest";
import { besideAnswersBytesPerSecond, createPassage } from "./upload-throttle.ts";

const turn = async () => await new Promise((resolve) => setImmediate(resolve));
/** An hour's measure. */
const hour = besideAnswersBytesPerSecond * 3_600;

test("pieces pass one in each turn of the event loop, of whoever began first", async () => {
  const passage = createPassage({ answering: () => false });
  const [a, b] = [passage.enter(), passage.enter()];
  const passed: string[] = [];
  const all = [b, b, a, a].map(async (mayPass, index) => {
    await mayPass(10);
    passed.push(`${mayPass === a ? "a" : "b"}${index}`);
  });
  const seen: number[] = [];
  while (passed.length < 4) {
    await turn();
    seen.push(passed.length);
  }
  await Promise.all(all);
  expect(passed).toEqual(["a2", "a3", "b0", "b1"]);
  expect(new Set(seen)).toEqual(new Set([1, 2, 3, 4]));
});

test("what is there alone passes as fast as it comes, and owes nothing when answers begin", async () => {
  let answering = false;
  const mayPass = createPassage({ answering: () => answering }).enter();
  for (let piece = 0; piece < 100; piece++) await mayPass(hour);
  answering = true;
  // Otherwise four days later.
  await mayPass(1);
});

test("beside answers pieces pass in their measure, and are made good for no longer than a timer is late", async () => {
  const mayPass = createPassage({ answering: () => true }).enter();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const begun = performance.now();
  for (let piece = 0; piece < 11; piece++) await mayPass(besideAnswersBytesPerSecond / 20);
  // Ten twentieths of a second after the first, less what a timer may be caught up with.
  expect(performance.now() - begun).toBeGreaterThan(450);
});

test("what waits for the measure passes when the last answer has ended", async () => {
  let answering = true;
  const mayPass = createPassage({ answering: () => answering }).enter();
  await mayPass(hour);
  const next = mayPass(hour);
  await turn();
  answering = false;
  // Otherwise an hour later.
  await next;
  await mayPass(1);
});
