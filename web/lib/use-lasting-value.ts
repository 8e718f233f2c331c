import { useEffect, useState } from "react";

/** `value` after it has lasting `delayMs`, and `initial` until then: for states that are not worth showing if they are short. */
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
