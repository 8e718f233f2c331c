import { useEffect, useState } from "react";

/** 150 ms: longer than the pause between two keys, so that there is one search per word. */
const searchDelayMs = 150;

/** `value` after it has not changed for `delayMs`. */
export function useDebouncedValue<Value>(value: Value, delayMs = searchDelayMs): Value {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return debounced;
}
