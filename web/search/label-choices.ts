import type { Label } from "#contract/labels/endpoints.ts";

/** `tag:`, `-tag:` or `in:` and the beginning of a name, at the end of the text. */
const openFilter = /(?:^|\s)(-?tag|in):(?:"([^"]*)|(\S*))$/i;

/** A filter by tag or folder, and the whole text with it. */
type LabelChoice = { filter: string; text: string };

/**
 * The filters for what is typed at the end of a search: those whose names begin as typed after `tag:` or `in:`, and all of
 * them for a blank text. `undefined` if the text ends with something else.
 */
export function labelChoices(
  typed: string,
  { tags, folders }: { tags: readonly Label[]; folders: readonly Label[] },
): LabelChoice[] | undefined {
  const [written, key = "", quoted, unquoted = ""] = openFilter.exec(typed) ?? [];
  const isBlank = typed.trim() === "";
  if (!isBlank && written === undefined) return undefined;
  const begun = (quoted ?? unquoted).trim().toLowerCase();
  const before = written === undefined ? "" : typed.slice(0, typed.length - written.trimStart().length);
  const isForFolders = key.toLowerCase() === "in";
  return [
    ...(isBlank || isForFolders ? folders : []).map(({ name }) => ["in", name] as const),
    ...(isForFolders ? [] : tags).map(({ name }) => [key === "" ? "tag" : key, name] as const),
  ]
    .filter(([, name]) => name.toLowerCase().startsWith(begun))
    .map(([key, name]) => {
      const filter = `${key}:"${name.replaceAll('"', " ")}"`;
      return { filter, text: `${before}${filter} ` };
    });
}
