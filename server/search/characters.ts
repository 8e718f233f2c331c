/** The length of a text as SQL counts it: a surrogate pair is one character. */
export function lengthInSql(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) pairs++;
  return text.length - pairs;
}
