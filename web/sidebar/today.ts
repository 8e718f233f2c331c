import { useEffect, useState } from "react";
import { now as readNow, useClockDifference } from "#web/data/session/service-clock.ts";
import { untilMidnightMs } from "./group-threads.ts";

/** Now, as far as days are concerned: changes at midnight, and when the page is looked at again. */
export function useToday(): Date {
  const [now, setNow] = useState(readNow);
  const difference = useClockDifference();
  useEffect(() => {
    const look = () => {
      const next = readNow();
      if (next.toDateString() !== now.toDateString()) setNow(next);
    };
    look();
    // A second late rather than early: timers are not exact.
    const timer = setTimeout(look, untilMidnightMs(readNow()) + 1_000);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [now, difference]);
  return now;
}
