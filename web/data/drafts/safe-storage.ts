import { nameHere } from "#web/lib/base-path.ts";
import { createStore, type Store } from "#web/lib/store.ts";
import { unlessThrown } from "#web/lib/unless-thrown.ts";

/** Whether the device stores what is set. With `full` and `forbidden` it is lost when the page is closed. */
export type StorageState = "kept" | "full" | "forbidden";

/** Texts stored on this device, or in memory if the device is full or forbids it. Never throws. */
export type SafeStorage = {
  get: (key: string) => string | undefined;
  set: (key: string, text: string) => void;
  remove: (key: string) => void;
  keys: (prefix: string) => string[];
  state: Pick<Store<StorageState>, "get" | "subscribe">;
  /** Whether a text under `prefix` is only in memory. */
  isAtRisk: (prefix: string) => boolean;
  /**
   * Calls `listener` when another tab sets or removes (`undefined`) a text under `prefix`. Returns the function that
   * unsubscribes.
   */
  subscribeToOtherTabs: (
    prefix: string,
    listener: (key: string, text: string | undefined) => void,
  ) => () => void;
};

/**
 * `storage` may throw, as browsers do if the user forbids storage; it may also be full. `tabs` receives the `storage`
 * events of other tabs, as a window does.
 */
export function createSafeStorage(
  storage: () => Storage,
  tabs: EventTarget = new EventTarget(),
): SafeStorage {
  // Texts that could not be stored. They take precedence over what is stored under the same key.
  const memory = new Map<string, string>();
  const device = unlessThrown(storage);
  const isOpen = unlessThrown(() => device?.getItem("parlance.") !== undefined) === true;
  // The storage is that of the origin, which other servers may share.
  const scope = nameHere("");
  const state = createStore<StorageState>(isOpen ? "kept" : "forbidden");

  function store(key: string, text: string): boolean {
    const isStored =
      isOpen &&
      unlessThrown(() => {
        device?.setItem(scope + key, text);
        return true;
      }) === true;
    if (isStored) memory.delete(key);
    return isStored;
  }

  /** Tries again to store what is in memory: there may be space now. */
  function storeMemory(): void {
    for (const [key, text] of memory) if (!store(key, text)) return;
    if (isOpen) state.set("kept");
  }

  return {
    state,
    get: (key) => memory.get(key) ?? unlessThrown(() => device?.getItem(scope + key)) ?? undefined,
    set(key, text) {
      if (store(key, text)) return storeMemory();
      memory.set(key, text);
      if (isOpen) state.set("full");
    },
    remove(key) {
      memory.delete(key);
      unlessThrown(() => device?.removeItem(scope + key));
      if (state.get() === "full") storeMemory();
    },
    keys(prefix) {
      const stored = unlessThrown(() => (device === undefined ? [] : Object.keys(device))) ?? [];
      const own = stored.filter((key) => key.startsWith(scope)).map((key) => key.slice(scope.length));
      return [...new Set([...memory.keys(), ...own])].filter((key) => key.startsWith(prefix));
    },
    isAtRisk: (prefix) => [...memory.keys()].some((key) => key.startsWith(prefix)),
    subscribeToOtherTabs(prefix, listener) {
      const onStorage = (event: Event) => {
        const { key, newValue } = event as StorageEvent;
        if (key?.startsWith(scope + prefix) === true)
          listener(key.slice(scope.length), newValue ?? undefined);
      };
      tabs.addEventListener("storage", onStorage);
      return () => tabs.removeEventListener("storage", onStorage);
    },
  };
}
