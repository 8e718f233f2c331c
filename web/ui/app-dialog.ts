import { createStore } from "#web/lib/store.ts";

/** Which of the two boxes over the page is open. */
const opened = createStore<"palette" | "shortcuts" | undefined>(undefined);

export const useOpened = opened.use;

export function isBoxOpen(): boolean {
  return opened.get() !== undefined;
}

export function openPalette(): void {
  opened.set("palette");
}

export function openShortcuts(): void {
  opened.set("shortcuts");
}

export function closeOpened(): void {
  opened.set(undefined);
}
