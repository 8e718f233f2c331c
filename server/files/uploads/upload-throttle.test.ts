import { expect, onTestFinished, test, vi } from "vitest";
import { createUploadThrottle, streamingBytesPerSecond } from "./upload-throttle.ts";

const turn = async () => await new Promise((resolve) => setImmediate(resolve));
/** As many bytes as the limit allows in an hour. */
const hour = streamingBytesPerSecond * 3_600;

test("passes one chunk per turn of the event loop, the oldest file first", async () => {
  const uploads = createUploadThrottle({ isStreaming: () => false });
  const [a, b] = [uploads.start(), uploads.start()];
  const passed: string[] = [];
  const all = [b, b, a, a].map(async (throttle, index) => {
    await throttle(10);
    passed.push(`${throttle === a ? "a" : "b"}${index}`);
  });
  const counts: number[] = [];
  while (passed.length < 4) {
    await turn();
    counts.push(passed.length);
  }
  await Promise.all(all);
  expect(passed).toEqual(["a2", "a3", "b0", "b1"]);
  expect(new Set(counts)).toEqual(new Set([1, 2, 3, 4]));
});

test("does not limit uploads while nothing is streaming, and does not count them afterwards", async () => {
  let isStreaming = false;
  const throttle = createUploadThrottle({ isStreaming: () => isStreaming }).start();
  for (let chunk = 0; chunk < 100; chunk++) await throttle(hour);
  isStreaming = true;
  // If the earlier bytes counted, this would take four days.
  await throttle(1);
});

test("limits uploads while an answer is streaming, and makes up only for late timers", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "setImmediate"] });
  onTestFinished(() => void vi.useRealTimers());
  const throttle = createUploadThrottle({ isStreaming: () => true }).start();
  // This time is not made up for.
  await vi.advanceTimersByTimeAsync(100);
  let passed = 0;
  for (let chunk = 0; chunk < 11; chunk++)
    void throttle(streamingBytesPerSecond / 20).then(() => (passed += 1));
  const passedBy: number[] = [];
  for (let ms = 0; ms <= 500; ms += 50) {
    await vi.advanceTimersByTimeAsync(ms === 0 ? 10 : 50);
    passedBy.push(passed);
  }
  // The first one at once, and each later one after 50 ms.
  expect(passedBy).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test("passes waiting chunks when the last answer has ended", async () => {
  let isStreaming = true;
  const throttle = createUploadThrottle({ isStreaming: () => isStreaming }).start();
  await throttle(hour);
  const next = throttle(hour);
  await turn();
  isStreaming = false;
  // Under the limit, this would take an hour.
  await next;
  await throttle(1);
});
