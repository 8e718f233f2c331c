import { createStore } from "#web/lib/store.ts";

/** `isOfOthers`: somebody else shares it, so the dialog only shows its members. */
export type ThreadToShare = { id: string; title: string; isOfOthers?: boolean };

/** The thread whose share dialog is open. */
const sharedThread = createStore<ThreadToShare | undefined>(undefined);

export const useSharedThread = sharedThread.use;
export const openShareDialog = sharedThread.set;

export function closeShareDialog(): void {
  sharedThread.set(undefined);
}
