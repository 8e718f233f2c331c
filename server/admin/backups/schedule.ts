/** The next time after `nowMs` at which the clocks of this machine show `time`, such as 03:15. */
export function nextTime(time: string, nowMs: number): number {
  const [hours, minutes] = time.split(":").map(Number) as [number, number];
  const now = new Date(nowMs);
  // Not 24 hours later: a day with a change of the clocks has 23 or 25.
  const onDay = (later: number): number =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + later, hours, minutes).getTime();
  const today = onDay(0);
  return today > nowMs ? today : onDay(1);
}

const minuteMs = 60_000;
/** After a failure: while a target is full or away, every hour would be noise. */
const retriesMs = [10 * minuteMs, 60 * minuteMs, 6 * 60 * minuteMs];

/** When to try again after so many failures in a row: at the latest at the next regular time. */
export function nextAttempt(time: string, failures: number, nowMs: number): number {
  const pauseMs = retriesMs[failures - 1];
  return Math.min(nextTime(time, nowMs), pauseMs === undefined ? Infinity : nowMs + pauseMs);
}
