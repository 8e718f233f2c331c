import remend from "remend";

/** The end of a text that may yet become syntax: marks that open something, an image, an address, a footnote's mark. */
const openMarks = /(^|[\s([{"'])(?:[*_~`]{1,3}|!|!?\[\^?)$/;
const openImage = /!\[[^\]]*\]?(?:\([^)\s]*)?$/;
const openFootnote = /\[\^[^\]\s]*$/;
const bareLabel = /\[([^\]^\d][^\]]*)\]$/;

/** A longer piece, such as a table without an end, is left as it is: completing it would take time on every frame. */
const charactersMax = 20_000;

const options = {
  linkMode: "text-only",
  // Our parser draws these as they come, and the finished text is not changed by them either.
  htmlTags: false,
  comparisonOperators: false,
  singleTilde: false,
  katex: false,
} as const;

/**
 * The last piece of a text that is still being written, for display: emphasis, code and links that have only begun are
 * completed, and half-written marks are left out, so that no raw syntax flashes on the page.
 */
export function completeUnfinished(source: string): string {
  if (source.length > charactersMax) return source;
  const trimmed = source.replace(openImage, "").replace(openFootnote, "").replace(openMarks, "$1");
  return remend(trimmed.replace(bareLabel, "$1"), options);
}

/** Stubs for the footnotes that `source` refers to: their definitions come last, and until then a mark is a mark. */
export function expectedFootnotes(source: string): string {
  const labels = new Set([...source.matchAll(/\[\^([\w-]{1,20})\](?!:)/g)].map(([, label]) => label));
  return [...labels].map((label) => `[^${label}]: .\n\n<!-- -->\n\n`).join("");
}
