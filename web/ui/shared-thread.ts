import { createStore } from "#web/lib/store.ts";

/** The thread whose share dialog is open. */
const sharedThread = createStore<{ id: string; title: string } | undefined>(undefined);

export const useSharedThread = sharedThread.use;
export const openShareDialog = sharedThread.set;

export function closeShareDialog(): void {
  sharedThread.set(undefined);
}
