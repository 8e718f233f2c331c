/** A fenced code block. `end`: where the line that closes it ends. */
export type Fence = { language: string; code: string; end: number | undefined };

const opening = /^ {0,3}(`{3,}|~{3,})([^\n]*)\n/;

/**
 * The content so far of an unclosed fence at the start of `source`; `undefined` if there is none or it is closed. The
 * parser returns the same, but would parse a long code block again for each new line.
 */
export function openFence(source: string): Fence | undefined {
  const fence = fenceOf(source);
  return fence?.end === undefined ? fence : undefined;
}

/** The closed fence at the start of `source`. Long code takes the parser too long. */
export function closedFence(source: string): (Fence & { end: number }) | undefined {
  const fence = fenceOf(source);
  return fence?.end === undefined ? undefined : { ...fence, end: fence.end };
}

function fenceOf(source: string): Fence | undefined {
  const match = opening.exec(source);
  const fence = match?.[1];
  if (match === null || fence === undefined) return undefined;
  const info = (match[2] ?? "").trim();
  if (fence.startsWith("`") && info.includes("`")) return undefined;
  // An indented fence removes its indent from each line, and a name can have escapes. The parser handles these.
  if (source.startsWith(" ") || /[&\\]/.test(info) || source.includes("\r")) return undefined;
  const start = match[0].length;
  const body = source.slice(start);
  // The first check is much faster than the second, which long code would need for each delta.
  const closing = body.includes(fence)
    ? new RegExp(`^ {0,3}${fence.charAt(0)}{${fence.length},}[ \\t]*(?:\\n|$(?![^]))`, "m").exec(body)
    : null;
  const code = closing === null ? body : body.slice(0, closing.index);
  return {
    language: info.split(/\s/, 1)[0] ?? "",
    code: code.endsWith("\n") ? code.slice(0, -1) : code,
    end: closing === null ? undefined : start + closing.index + closing[0].length,
  };
}
