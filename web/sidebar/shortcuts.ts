import { t } from "#web/i18n/translate.ts";
import { commandKey } from "#web/ui/command-key.ts";

export const newChatKeys = () => [commandKey(), t("key.shift"), "O"].join(" ");
export const sidebarKeys = () => [commandKey(), "."].join(" ");
export const findKeys = () => [commandKey(), "F"].join(" ");
export const paletteKeys = () => [commandKey(), "K"].join(" ");

export type Shortcut = "new-chat" | "toggle-sidebar" | "palette";

/** The shortcut of a key press, if any. Ctrl and ⌘ are equivalent. */
export function shortcutOf(
  event: Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">,
): Shortcut | undefined {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return undefined;
  // Checks `code` too: with Shift or another alphabet, `key` is another character.
  if (event.shiftKey && (event.code === "KeyO" || event.key.toLowerCase() === "o")) return "new-chat";
  if (!event.shiftKey && (event.code === "KeyK" || event.key.toLowerCase() === "k")) return "palette";
  // Not if that key has a Latin letter: on Dvorak it is V, for paste.
  const isPeriod = event.code === "Period" && !/^[a-z]$/i.test(event.key);
  if (!event.shiftKey && (isPeriod || event.key === ".")) return "toggle-sidebar";
  return undefined;
}

/** Latin and Arabic. `code` does not help, because the key differs between keyboards. */
const questionMarks = ["?", "؟"];

/** Whether `?` was pressed outside a text field. */
export function isShortcutsKey(event: KeyboardEvent): boolean {
  if (!questionMarks.includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.defaultPrevented) return false;
  const { target } = event;
  return !(target instanceof HTMLElement && target.closest("input, textarea, [contenteditable]") !== null);
}
