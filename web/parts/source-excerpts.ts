import { isJsonObject } from "#contract/json.ts";

/**
 * What is known of the text of a source: the excerpt that the provider sent with it, and the passages that a tool of this
 * server found, which have the source's number in its result.
 */
export function excerptsOf(parts: readonly object[], number: number): string[] {
  const source = parts.filter((part) => "type" in part && part.type === "source")[number - 1];
  const excerpt =
    source !== undefined && "excerpt" in source && typeof source.excerpt === "string" ? [source.excerpt] : [];
  const passages = parts.flatMap((part) => {
    const result = "result" in part ? part.result : undefined;
    const found = isJsonObject(result) && Array.isArray(result.passages) ? result.passages : [];
    return found.flatMap((passage) =>
      isJsonObject(passage) && passage.source === number && typeof passage.text === "string"
        ? passage.text
        : [],
    );
  });
  return [...new Set([...excerpt, ...passages])];
}
