import type { Filter } from "ldapts";
import { usernamePlaceholder } from "#contract/endpoints/directories.ts";

const dnPlaceholder = "{dn}";

/** The filter cannot be read, or has a placeholder where it would have no effect. */
export class FilterError extends Error {
  override readonly name = "FilterError";
}

/**
 * The filter of a template, with the values in its placeholders. They are put into the parsed filter and never become text of
 * it: so no character in them has a meaning. A placeholder must be in the value of an equality, such as `(uid={username})`.
 * Throws `FilterError`.
 */
export async function filterOf(
  template: string,
  values: { username: string; dn?: string },
  { needsPlaceholder = true }: { needsPlaceholder?: boolean } = {},
): Promise<Filter> {
  const { AndFilter, EqualityFilter, FilterParser, NotFilter, OrFilter } = await import("ldapts");
  let placed = 0;
  function fill(filter: Filter): void {
    if (filter instanceof AndFilter || filter instanceof OrFilter)
      for (const each of filter.filters) fill(each);
    else if (filter instanceof NotFilter) fill(filter.filter);
    else if (filter instanceof EqualityFilter) {
      const text = filter.value.toString();
      if (!text.includes(usernamePlaceholder) && !text.includes(dnPlaceholder)) return;
      placed++;
      // One pass: a placeholder in the value of the other is text.
      filter.value = text.replaceAll(/\{username\}|\{dn\}/g, (placeholder) =>
        placeholder === usernamePlaceholder ? values.username : (values.dn ?? ""),
      );
    } else if (/\{(username|dn)\}/.test(filter.toString().replaceAll(/\\7b|\\7d/gi, "")))
      throw new FilterError(
        "A placeholder can only be in the value of an equality, such as (uid={username}).",
      );
  }
  let filter: Filter;
  try {
    filter = FilterParser.parseString(template);
  } catch (cause) {
    throw new FilterError("The filter cannot be read.", { cause });
  }
  fill(filter);
  if (needsPlaceholder && placed === 0)
    throw new FilterError(`The filter must contain ${usernamePlaceholder}.`);
  return filter;
}
