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

/** What is wrong with the device's storage, or else with the tab's, which has the texts of temporary chats. */
export function useStorageState(): StorageState {
  const device = useSyncExternalStore(deviceStorage.state.subscribe, deviceStorage.state.get);
  const tab = useSyncExternalStore(tabStorage.state.subscribe, tabStorage.state.get);
  return device === "kept" ? tab : device;
}

/** Makes the browser ask before a page is closed that has unsent texts only in memory. `flush` stores pending drafts. */
export function warnBeforeLosingText(flush: () => void): void {
  addEventListener("beforeunload", (event) => {
    flush();
    const isAtRisk = (prefix: string) => deviceStorage.isAtRisk(prefix) || tabStorage.isAtRisk(prefix);
    if (unsentPrefixes.some(isAtRisk)) event.preventDefault();
  });
}
