/** A fenced code block that has not been closed yet. */
export type OpenFence = { language: string; code: string };

const opening = /^ {0,3}(`{3,}|~{3,})([^\n]*)\n/;

/**
 * The content so far of an unclosed fence at the start of `source`; `undefined` if there is none or it is closed. The
 * parser returns the same, but would parse a long code block again for each new line.
 */
export function openFence(source: string): OpenFence | undefined {
  const match = opening.exec(source);
  const fence = match?.[1];
  if (match === null || fence === undefined) return undefined;
  const info = (match[2] ?? "").trim();
  if (fence.startsWith("`") && info.includes("`")) return undefined;
  const body = source.slice(match[0].length);
  const mark = fence.charAt(0);
  // The first check is much faster than the second, which long code would need for each delta.
  if (body.includes(fence) && new RegExp(`^ {0,3}${mark}{${fence.length},}[ \\t]*$`, "m").test(body))
    return undefined;
  // An indented fence removes its indent from each line. That is rare, so the parser handles it.
  if (source.startsWith(" ") || source.includes("\r")) return undefined;
  return { language: info.split(/\s/, 1)[0] ?? "", code: body.endsWith("\n") ? body.slice(0, -1) : body };
}
