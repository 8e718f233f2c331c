import { useEffect, useState } from "react";

/** `initial` until `value` has lasted for `delayMs`: hides states that pass quickly. */
export function useLastingValue<Value>(value: Value, initial: Value, delayMs: number): Value {
  const [lasting, setLasting] = useState<Value>(initial);
  useEffect(() => {
    if (value === initial) {
      setLasting(initial);
      return undefined;
    }
    const timer = setTimeout(() => setLasting(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, initial, delayMs]);
  return value === initial ? initial : lasting;
}
