import { useSyncExternalStore } from "react";
import { unsentPrefixes } from "./personal-storage.ts";
import { createSafeStorage, type StorageState } from "./safe-storage.ts";

/** The browser's local storage: preferences, drafts, the outbox. */
export const deviceStorage = createSafeStorage(
  () => window.localStorage,
  typeof window === "undefined" ? undefined : window,
);

/** This tab's session storage, which survives a reload. */
export const tabStorage = createSafeStorage(() => window.sessionStorage);

export function useStorageState(): StorageState {
  return useSyncExternalStore(deviceStorage.state.subscribe, deviceStorage.state.get);
}

/** Makes the browser ask before a page is closed that has unsent texts only in memory. `flush` stores pending drafts. */
export function warnBeforeLosingText(flush: () => void): void {
  addEventListener("beforeunload", (event) => {
    flush();
    if (unsentPrefixes.some(deviceStorage.isAtRisk)) event.preventDefault();
  });
}
