import type { Part } from "#contract/parts/kinds.ts";
import type { ModelEvent } from "#server/models/model.ts";
import type { Citable } from "#server/tools/tool.ts";

/** The numbered sources of one answer: tools add to them, and each becomes a part once. */
export type Citations = {
  /** The number of this source in the answer; the same address has one number. */
  cite(source: Citable): number;
  /** The model itself named this source, which is in the answer now. */
  heard(url: string): void;
  /** What was cited since this was asked last. */
  taken(): Extract<ModelEvent, { type: "source" }>[];
};

/** `before` is what the reply holds already. */
export function createCitations(before: readonly Part[]): Citations {
  const sources = before.flatMap((part) => (part.type === "source" ? [part] : []));
  const numbers = new Map(
    sources.map((source, index) => [source.sourceType === "url" ? source.url : source.id, index + 1]),
  );
  let last = sources.length;
  let fresh: Extract<ModelEvent, { type: "source" }>[] = [];
  return {
    cite({ url, title }) {
      const known = numbers.get(url);
      if (known !== undefined) return known;
      numbers.set(url, ++last);
      fresh.push({ type: "source", id: `source_${last}`, url, ...(title === undefined ? {} : { title }) });
      return last;
    },
    heard(url) {
      last++;
      if (!numbers.has(url)) numbers.set(url, last);
    },
    taken() {
      const given = fresh;
      fresh = [];
      return given;
    },
  };
}
