import type { Part } from "#contract/parts/kinds.ts";
import type { SourcePart, UrlSource } from "#contract/parts/source.ts";
import type { Citable } from "#server/tools/tool.ts";

/** The numbered sources of one answer. Tools add sources, and each becomes one part. */
export type Citations = ReturnType<typeof createCitations>;

/** `before` is the reply so far. */
export function createCitations(before: readonly Part[]) {
  const sources = before.flatMap((part) => (part.type === "source" ? [part] : []));
  const numbers = new Map(sources.map((source, index) => [keyOf(source), index + 1]));
  let last = sources.length;
  let newSources: UrlSource[] = [];
  return {
    /** The number of this source in the answer. The same URL has the same number. */
    cite({ url, title }: Citable): number {
      const known = numbers.get(url);
      if (known !== undefined) return known;
      numbers.set(url, ++last);
      const titled = title === undefined ? {} : { title };
      newSources.push({ type: "source", sourceType: "url", id: `source_${last}`, url, ...titled });
      return last;
    },
    /** Counts a source that the model itself added to the answer. */
    addModelSource(source: SourcePart): void {
      last++;
      const key = keyOf(source);
      if (!numbers.has(key)) numbers.set(key, last);
    },
    /** The sources that were cited since the last call. */
    takeSources(): UrlSource[] {
      const taken = newSources;
      newSources = [];
      return taken;
    },
  };
}

function keyOf(source: SourcePart): string {
  return source.sourceType === "url" ? source.url : source.id;
}
