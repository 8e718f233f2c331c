/** How long a text is as SQL counts it: pairs of surrogates are one character. */
export function lengthInSql(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) pairs++;
  return text.length - pairs;
}
