/**
 * Text that must be storable in every engine and printable everywhere (titles, names, search text): NUL and lone
 * surrogates become U+FFFD. Message content is never passed through here; it is kept exactly.
 */
export function cleanText(text: string): string {
  return wellFormed(text).replaceAll("\0", "\uFFFD");
}

/** The first `max` UTF-16 units of `text`, never ending inside a surrogate pair. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = isHighSurrogate(text.charCodeAt(max - 1)) ? max - 1 : max;
  return text.slice(0, end);
}

export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function wellFormed(text: string): string {
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");
}
