import { useSyncExternalStore } from "react";
import { createSafeStorage, type Keeping } from "./safe-storage.ts";

/** What this browser keeps for the page: choices, drafts, and what is on its way. */
export const deviceStorage = createSafeStorage(
  () => window.localStorage,
  typeof window === "undefined" ? undefined : window,
);

/** What this one tab keeps over a reload. */
export const tabStorage = createSafeStorage(() => window.sessionStorage);

/** Whether it really keeps it. */
export function useKeeping(): Keeping {
  return useSyncExternalStore(deviceStorage.keeping.subscribe, deviceStorage.keeping.get);
}

/** What a person wrote and nobody else has yet. */
const written = ["parlance.draft.", "parlance.outbox.", "parlance.answers."];

/** Lets the browser ask before a page goes away with words that lie nowhere else. `flush` hands over what is left. */
export function guardUnkeptWords(flush: () => void): void {
  addEventListener("beforeunload", (event) => {
    flush();
    if (written.some(deviceStorage.isAtRisk)) event.preventDefault();
  });
}
