import { limits } from "#contract/limits.ts";

/** The protocol's rule for names that others give: 1 to 255 characters without spaces or control characters. */
export function isName(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length >= 1 &&
    value.length <= limits.nameCharacters &&
    // Halves of characters would become one and the same in a database.
    value.isWellFormed() &&
    !/[\s\p{Cc}]/u.test(value)
  );
}
