import { limits } from "#contract/limits.ts";

/** The protocol's rule for names of users and workspaces: 1 to 255 characters without spaces or control characters. */
export function isName(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length >= 1 &&
    value.length <= limits.nameCharacters &&
    // Databases replace all lone surrogates with the same character.
    value.isWellFormed() &&
    !/[\s\p{Cc}]/u.test(value)
  );
}
