/**
 * Replaces NUL and lone surrogates by U+FFFD, because not every database can store them. For titles, names and search text.
 * Message content is stored unchanged and must not be passed through this.
 */
export function cleanText(text: string): string {
  return wellFormed(text).replaceAll("\0", "\uFFFD");
}

/** The first `max` UTF-16 code units of `text`, without splitting a surrogate pair. */
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
