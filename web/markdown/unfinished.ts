import remend from "remend";

/** Ends of a text that may become syntax: opening marks, an image, an address, a footnote reference. */
const openMarks = /(^|[\s([{"'])(?:[*_~`]{1,3}|!|!?\[\^?)$/;
const openImage = /!\[[^\]]*\]?(?:\([^)\s]*)?$/;
const openFootnote = /\[\^[^\]\s]*$/;
const bareLabel = /\[([^\]^\d][^\]]*)\]$/;

/** Longer chunks, such as a huge table, are not completed, because that would take time on every frame. */
const charactersMax = 20_000;

const options = {
  linkMode: "text-only",
  // The parser renders these as they are while they are incomplete.
  htmlTags: false,
  comparisonOperators: false,
  singleTilde: false,
  katex: false,
} as const;

/**
 * Prepares the last chunk of a streaming text for display: closes open emphasis, code and links, and removes incomplete
 * marks, so that no raw syntax flashes on the page.
 */
export function completeUnfinished(source: string): string {
  if (source.length > charactersMax) return source;
  const trimmed = source.replace(openImage, "").replace(openFootnote, "").replace(openMarks, "$1");
  return remend(trimmed.replace(bareLabel, "$1"), options);
}
