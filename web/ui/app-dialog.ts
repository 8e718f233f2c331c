import { createStore } from "#web/lib/store.ts";

/** The open dialog of the app, if any. */
const openDialog = createStore<"palette" | "shortcuts" | undefined>(undefined);

export const useOpenDialog = openDialog.use;

export function isDialogOpen(): boolean {
  return openDialog.get() !== undefined;
}

export function openPalette(): void {
  openDialog.set("palette");
}

export function openShortcuts(): void {
  openDialog.set("shortcuts");
}

export function closeDialog(): void {
  openDialog.set(undefined);
}
