import { expect, test, vi } from "vitest";
import { createManualClock } from "#tests/support/manual-clock.ts";
import { createFailureBackoff } from "./failure-backoff.ts";
import { ExtractionLimitError, ExtractionError } from "./extraction-error.ts";

const reasonOf = async (result: Promise<unknown>) =>
  await result.then(
    () => "done",
    (error: ExtractionError) => error.reason,
  );

test("retries an exceeded limit with growing delays, and reports too large after the third time", async () => {
  const clock = createManualClock();
  const failures = createFailureBackoff(clock);
  const work = vi.fn(() => Promise.reject(new ExtractionLimitError()));
  const ask = async () => await reasonOf(failures.run("a", work));
  expect([await ask(), await ask(), work.mock.calls.length]).toEqual(["away", "away", 1]);
  clock.advance(60_000);
  expect([await ask(), await ask(), work.mock.calls.length]).toEqual(["away", "away", 2]);
  clock.advance(120_000);
  expect([await ask(), await ask(), work.mock.calls.length]).toEqual(["too-large", "too-large", 3]);
  clock.advance(3_600_000);
  work.mockResolvedValueOnce("text" as never);
  expect([await ask(), await ask(), work.mock.calls.length]).toEqual(["done", "away", 5]);
});

test("remembers a permanent failure, and retries a busy one each time", async () => {
  const failures = createFailureBackoff(createManualClock());
  for (const [reason, times] of [
    ["damaged", 1],
    ["away", 2],
  ] as const) {
    const work = vi.fn(() => Promise.reject(new ExtractionError(reason)));
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await reasonOf(failures.run(reason, work))).toBe(reason);
    expect(work).toHaveBeenCalledTimes(times);
  }
});
