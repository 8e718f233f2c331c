import { expect, test } from "vitest";
import { besideAnswersBytesPerSecond, createPassage } from "./passage.ts";

const turn = async () => await new Promise((resolve) => setImmediate(resolve));

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

test("what is there alone passes as fast as it comes, and beside answers in its measure", async () => {
  let answering = false;
  const passage = createPassage({ answering: () => answering });
  const mayPass = passage.enter();
  // More than its measure lets through in an hour.
  for (let piece = 0; piece < 100; piece++) await mayPass(besideAnswersBytesPerSecond * 36);
  const later = createPassage({ answering: () => answering }).enter();
  answering = true;
  const begun = performance.now();
  for (let piece = 0; piece < 11; piece++) await later(besideAnswersBytesPerSecond / 20);
  // Ten twentieths of a second after the first, less what a timer may be caught up with.
  expect(performance.now() - begun).toBeGreaterThan(450);
});

test("what waits for the measure passes at once when the answers have ended", async () => {
  let answering = true;
  const mayPass = createPassage({ answering: () => answering }).enter();
  await mayPass(besideAnswersBytesPerSecond / 10);
  const next = mayPass(besideAnswersBytesPerSecond * 3_600);
  answering = false;
  await next;
  // Otherwise an hour later.
  await mayPass(1);
});
