import { useEffect } from "react";
import { composerField } from "#web/composer/focus-composer.ts";
import { isShortcutsKey } from "#web/sidebar/shortcuts.ts";

/** Elements that use the typed characters themselves. */
const typable = "input, textarea, select, [contenteditable], [role='menu'], [role='listbox']";
const covering = "dialog[open], [role='menu'], [inert] textarea[aria-describedby='composer-note']";

/** Typing anywhere on the page writes into the message field. */
export function useTypeToCompose(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isTyping(event) || isShortcutsKey(event)) return;
      if (event.target instanceof Element && event.target.closest(typable) !== null) return;
      if (document.querySelector(covering) !== null) return;
      // The browser delivers the character to the element that has the focus after this event.
      composerField()?.focus({ preventScroll: true });
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** Whether the key types a character. Space scrolls the page and presses buttons. */
function isTyping({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || key === " ") return false;
  // Dead keys, and keys that an input method takes, begin a composition in the field.
  return /^.$/u.test(key) || key === "Dead" || key === "Process";
}
