import { limits } from "#contract/limits.ts";
import { t } from "#web/i18n/translate.ts";

export function isTooLong(typed: string): boolean {
  return typed.length > limits.searchCharacters;
}

export function tooLongMessage(typed: string): string {
  return t("search.tooLong", { max: limits.searchCharacters, length: typed.length });
}
