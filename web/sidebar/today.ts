import { useEffect, useState } from "react";
import { untilMidnightMs } from "./groups.ts";

/** Now, as far as days are concerned: changes at midnight, and when the page is looked at again. */
export function useToday(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const look = () => {
      const next = new Date();
      if (next.toDateString() !== now.toDateString()) setNow(next);
    };
    // A second late rather than early: timers are not exact.
    const timer = setTimeout(look, untilMidnightMs(now) + 1_000);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [now]);
  return now;
}
