import { slugCharacters } from "#server/tools/tool-names.ts";

/** What the names of a server's tools begin with: letters without accents and digits, with room for a number. */
export function prefixOf(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? ["tools"];
  return words
    .join("-")
    .slice(0, slugCharacters - 6)
    .replace(/-$/, "");
}
