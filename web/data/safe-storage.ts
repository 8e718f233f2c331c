/** Texts kept on this device; in memory where the device cannot or must not keep them. Never throws. */
export type SafeStorage = {
  get: (key: string) => string | undefined;
  set: (key: string, text: string) => void;
  remove: (key: string) => void;
  /** The keys that begin with `prefix`. */
  keys: (prefix: string) => string[];
};

/** `storage` may throw, as browsers do where a person forbids storage; it may also be full. */
export function createSafeStorage(storage: () => Storage): SafeStorage {
  // What could not be stored; it counts before what is stored under the same key.
  const memory = new Map<string, string>();
  const real = attempted(storage);

  return {
    get: (key) => memory.get(key) ?? attempted(() => real?.getItem(key)) ?? undefined,
    set(key, text) {
      const kept = attempted(() => {
        real?.setItem(key, text);
        return real !== undefined;
      });
      if (kept === true) memory.delete(key);
      else memory.set(key, text);
    },
    remove(key) {
      memory.delete(key);
      attempted(() => real?.removeItem(key));
    },
    keys(prefix) {
      const stored = attempted(() => (real === undefined ? [] : Object.keys(real))) ?? [];
      return [...new Set([...memory.keys(), ...stored])].filter((key) => key.startsWith(prefix));
    },
  };
}

function attempted<Value>(run: () => Value): Value | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
