import { createStore } from "#web/lib/store.ts";

/** The open dialog of the app, if any. */
const openDialog = createStore<"palette" | "find" | "shortcuts" | undefined>(undefined);

export const useOpenDialog = openDialog.use;

export function isDialogOpen(): boolean {
  return openDialog.get() !== undefined;
}

export function openPalette(): void {
  openDialog.set("palette");
}

export function openFind(): void {
  openDialog.set("find");
}

export function openShortcuts(): void {
  openDialog.set("shortcuts");
}

export function closeDialog(): void {
  openDialog.set(undefined);
}
