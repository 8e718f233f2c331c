import { useEffect, useState } from "react";

/** `value`, but `calm` until it has lasted `delayMs`: for states that are not worth a word when they pass at once. */
export function useLasting<Value>(value: Value, calm: Value, delayMs: number): Value {
  const [lasted, setLasted] = useState<Value>(calm);
  useEffect(() => {
    if (value === calm) {
      setLasted(calm);
      return undefined;
    }
    const timer = setTimeout(() => setLasted(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, calm, delayMs]);
  return value === calm ? calm : lasted;
}
