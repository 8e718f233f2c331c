import { openFind } from "#web/ui/app-dialog.ts";
import { useWindowEvent } from "#web/lib/use-window-event.ts";

/**
 * Opens our own search instead of the browser's, which finds only what is rendered. Pressed again while it is open, the
 * keys open the browser's.
 */
export function useFindKey(isPartial: boolean): void {
  useWindowEvent("keydown", (event) => {
    if (
      event.defaultPrevented ||
      !isPartial ||
      !isFindKey(event) ||
      document.querySelector("dialog[open]") !== null
    )
      return;
    event.preventDefault();
    openFind();
  });
}

function isFindKey({ ctrlKey, metaKey, shiftKey, altKey, code, key }: KeyboardEvent): boolean {
  if (shiftKey || altKey || (code !== "KeyF" && key.toLowerCase() !== "f")) return false;
  // On Apple's systems Ctrl+F moves the caret.
  const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
  return isApple ? metaKey : ctrlKey;
}
