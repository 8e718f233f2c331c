import { cleanText } from "#contract/text.ts";

/** The name of a folder or tag as it is stored. */
export function labelName(text: string): string {
  return cleanText(text).replaceAll(/\s+/g, " ").trim();
}

/** Equal for names that differ only in case. */
export function labelKey(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}
