import { expect, test, vi } from "vitest";
import { handClock } from "#tests/support/hand-clock.ts";
import { createFailures } from "./failures.ts";
import { ExhaustedError, FaultError } from "./office/fault.ts";

const reasonOf = async (made: Promise<unknown>) =>
  await made.then(
    () => "made",
    (error: FaultError) => error.reason,
  );

test("what was too much is tried again, less and less often, and is too large after the third time", async () => {
  const clock = handClock();
  const failures = createFailures(clock);
  const make = vi.fn(() => Promise.reject(new ExhaustedError()));
  const ask = async () => await reasonOf(failures.unlessFailed("a", make));
  expect([await ask(), await ask(), make.mock.calls.length]).toEqual(["away", "away", 1]);
  clock.advance(60_000);
  expect([await ask(), await ask(), make.mock.calls.length]).toEqual(["away", "away", 2]);
  clock.advance(120_000);
  expect([await ask(), await ask(), make.mock.calls.length]).toEqual(["too-large", "too-large", 3]);
  clock.advance(3_600_000);
  make.mockResolvedValueOnce("text" as never);
  expect([await ask(), await ask(), make.mock.calls.length]).toEqual(["made", "away", 5]);
});

test("what is wrong with the bytes is found out once, and what is only busy each time", async () => {
  const failures = createFailures(handClock());
  for (const [reason, times] of [
    ["damaged", 1],
    ["away", 2],
  ] as const) {
    const make = vi.fn(() => Promise.reject(new FaultError(reason)));
    for (let asked = 0; asked < 2; asked++)
      expect(await reasonOf(failures.unlessFailed(reason, make))).toBe(reason);
    expect(make).toHaveBeenCalledTimes(times);
  }
});
