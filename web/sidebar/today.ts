import { useEffect, useState } from "react";
import { now as readNow, useClockDifference } from "#web/data/session/service-clock.ts";
import { untilMidnightMs } from "./group-threads.ts";

/** The current time. Updates at midnight, and when the page becomes visible on another day. */
export function useToday(): Date {
  const [now, setNow] = useState(readNow);
  const difference = useClockDifference();
  useEffect(() => {
    const update = () => {
      const next = readNow();
      if (next.toDateString() !== now.toDateString()) setNow(next);
    };
    update();
    // One second late, because timers may fire early.
    const timer = setTimeout(update, untilMidnightMs(readNow()) + 1_000);
    document.addEventListener("visibilitychange", update);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", update);
    };
  }, [now, difference]);
  return now;
}
