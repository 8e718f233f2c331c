import { limits } from "#contract/limits.ts";
import { t } from "#web/i18n/translate.ts";

/** Whether more was typed than is looked for. */
export function isTooLong(typed: string): boolean {
  return typed.length > limits.searchCharacters;
}

/** What to do about it. */
export function tooLong(typed: string): string {
  return t("search.tooLong", { max: limits.searchCharacters, length: typed.length });
}
