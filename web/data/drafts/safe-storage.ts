import { createStore, type Store } from "#web/lib/store.ts";

/** Whether what is given really lies on the device: `full` and `forbidden` end with the page. */
export type Keeping = "kept" | "full" | "forbidden";

/** Texts kept on this device; in memory where the device cannot or must not keep them. Never throws. */
export type SafeStorage = {
  get: (key: string) => string | undefined;
  set: (key: string, text: string) => void;
  remove: (key: string) => void;
  /** The keys that begin with `prefix`. */
  keys: (prefix: string) => string[];
  keeping: Pick<Store<Keeping>, "get" | "subscribe">;
  /** Whether something under `prefix` is in memory alone, and goes with the page. */
  isAtRisk: (prefix: string) => boolean;
  /** Hears what other tabs keep under `prefix`, and what they remove (`undefined`). */
  heardElsewhere: (prefix: string, heard: (key: string, text: string | undefined) => void) => () => void;
};

/**
 * `storage` may throw, as browsers do where a person forbids storage; it may also be full. `tabs` is told of what other
 * tabs change, as a window is.
 */
export function createSafeStorage(
  storage: () => Storage,
  tabs: EventTarget = new EventTarget(),
): SafeStorage {
  // What could not be stored; it counts before what is stored under the same key.
  const memory = new Map<string, string>();
  const real = attempted(storage);
  const isOpen = attempted(() => real?.getItem("parlance.") !== undefined) === true;
  const keeping = createStore<Keeping>(isOpen ? "kept" : "forbidden");

  function store(key: string, text: string): boolean {
    const isStored =
      isOpen &&
      attempted(() => {
        real?.setItem(key, text);
        return true;
      }) === true;
    if (isStored) memory.delete(key);
    return isStored;
  }

  /** There may be room again: what waits in memory is tried once more. */
  function storeRest(): void {
    for (const [key, text] of memory) if (!store(key, text)) return;
    if (isOpen) keeping.set("kept");
  }

  return {
    keeping,
    get: (key) => memory.get(key) ?? attempted(() => real?.getItem(key)) ?? undefined,
    set(key, text) {
      if (store(key, text)) return storeRest();
      memory.set(key, text);
      if (isOpen) keeping.set("full");
    },
    remove(key) {
      memory.delete(key);
      attempted(() => real?.removeItem(key));
      if (keeping.get() === "full") storeRest();
    },
    keys(prefix) {
      const stored = attempted(() => (real === undefined ? [] : Object.keys(real))) ?? [];
      return [...new Set([...memory.keys(), ...stored])].filter((key) => key.startsWith(prefix));
    },
    isAtRisk: (prefix) => [...memory.keys()].some((key) => key.startsWith(prefix)),
    heardElsewhere(prefix, heard) {
      const hear = (event: Event) => {
        const { key, newValue } = event as StorageEvent;
        if (key?.startsWith(prefix) === true) heard(key, newValue ?? undefined);
      };
      tabs.addEventListener("storage", hear);
      return () => tabs.removeEventListener("storage", hear);
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
