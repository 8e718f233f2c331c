/** `code` in a fence that is longer than each one in it. */
export function fenced(info: string, code: string): string {
  const longest = Math.max(2, ...(code.match(/^\s*`{3,}/gm) ?? []).map((mark) => mark.trim().length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${info}\n${code}\n${fence}`;
}
