/** `code` in a fence that is longer than each one in it. */
export function fenced(info: string, code: string): string {
  const fence = fenceAround(code, "```");
  return `${fence}${info}\n${code}\n${fence}`;
}

/** `fence`, or one that is longer than each in the code. */
export function fenceAround(code: string, fence: string): string {
  const mark = fence.charAt(0);
  // Most code has no fence. Then its lines are not searched, again each time that it has grown.
  if (!code.includes(mark.repeat(3))) return fence;
  let length = fence.length;
  // Without \s, which would search each run of blank lines again from each of its lines.
  for (const [line] of code.matchAll(new RegExp(`^[ \\t>]*${mark}{3,}`, "gm")))
    length = Math.max(length, line.replaceAll(/[ \t>]/g, "").length + 1);
  return mark.repeat(length);
}
