/** A fenced code block that has not been closed yet. */
export type OpenFence = { language: string; code: string };

const opening = /^ {0,3}(`{3,}|~{3,})([^\n]*)\n/;

/**
 * What an unclosed fence at the very start of `source` holds so far; `undefined` when there is none or it is closed.
 * The parser would find the same; this finds it without reading a long block of code again for each of its lines.
 */
export function openFence(source: string): OpenFence | undefined {
  const match = opening.exec(source);
  const fence = match?.[1];
  if (match === null || fence === undefined) return undefined;
  const info = (match[2] ?? "").trim();
  if (fence.startsWith("`") && info.includes("`")) return undefined;
  const body = source.slice(match[0].length);
  const mark = fence.charAt(0);
  if (new RegExp(`^ {0,3}${mark}{${fence.length},}[ \\t]*$`, "m").test(body)) return undefined;
  // A fence that is indented takes as much indent from its lines; rare enough to leave to the parser.
  if (source.startsWith(" ") || source.includes("\r")) return undefined;
  return { language: info.split(/\s/, 1)[0] ?? "", code: body.endsWith("\n") ? body.slice(0, -1) : body };
}
