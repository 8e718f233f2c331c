import { t } from "#web/i18n/translate.ts";
import { commandKey } from "#web/ui/command-key.ts";

/** As in other programs that quote messages. */
export const quoteKeys = () => [commandKey(), t("key.shift"), "9"].join(" ");

/** With Shift, the key has another character in each layout. */
export function isQuoteKey({ code, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): boolean {
  return code === "Digit9" && (ctrlKey || metaKey) && shiftKey && !altKey;
}
