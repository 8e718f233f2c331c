import { useSyncExternalStore } from "react";

/** A value outside React that any code may read, set and watch. */
export type Store<Value> = {
  get: () => Value;
  /** Does nothing when the value is the same by `Object.is`. */
  set: (value: Value) => void;
  /** Calls `listener` after each change; returns the function that unsubscribes. */
  subscribe: (listener: () => void) => () => void;
  /** The value, for a component; the component renders again after each change. */
  use: () => Value;
};

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  const get = () => value;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    get,
    set(next) {
      if (Object.is(value, next)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe,
    use: () => useSyncExternalStore(subscribe, get, get),
  };
}
