/** A fenced code block of an answer, and what is around it. */
export type FencedBlock = {
  /** The first word after the fence. */
  language: string;
  /** The rest of that line. */
  meta: string;
  code: string;
  /** The last heading above it. */
  heading: string | undefined;
  /** The last line with text above it. */
  lineAbove: string;
  isClosed: boolean;
  /** Where it is in its text. */
  place: BlockPlace;
};

export type BlockPlace = {
  /** The numbers of the lines with its fences, from 0. Without its end, `end` is after the last line. */
  start: number;
  end: number;
  fence: string;
  /** What each line of it begins with: its indent, the marks of quotes, and spaces instead of the mark of a list's item. */
  prefix: string;
};

const opening = /^((?:[ \t]|>)*)((?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})([^\n]*)$/;
/** The mark of a list's item, after the indents and quotes that it is in. */
const itemStart = /^((?:[ \t]|>)*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)/;
const prefixStart = /^(?:[ \t]|>)*/;
/** Fences are indented less than this in what contains them; further in they are code. */
const codeIndent = 4;

const headingStart = /^ {0,3}#{1,6}[ \t]+(\S.*)$/;

/** The beginning of a line is enough for a heading, in characters. Each line of an answer is searched. */
const headingMax = 200;

/**
 * The fenced code blocks of a Markdown text, also those in lists and quotes. It reads line by line: the parser would take
 * as long for it as for showing the whole thread.
 */
export function fencedBlocks(text: string): FencedBlock[] {
  const blocks: FencedBlock[] = [];
  if (!text.includes("```") && !text.includes("~~~")) return blocks;
  const lines = text.split("\n");
  let lastHeading: string | undefined;
  let lineAbove = "";
  // The column where the text of the innermost list's item starts.
  let column = 0;
  for (let i = 0; i < lines.length; i++) {
    const line = withoutReturn(lines[i] ?? "");
    const [, indent = "", mark = "", fence, info = ""] = opening.exec(line) ?? [];
    const isFence = fence !== undefined && !(fence.startsWith("`") && info.includes("`"));
    if (!isFence || widthOf(indent) >= column + codeIndent) {
      column = columnAfter(line, column);
      if (line.trim() !== "") lineAbove = line.trim();
      lastHeading = headingIn(line) ?? lastHeading;
      continue;
    }
    const [language = "", ...meta] = info.trim().split(/\s+/);
    const prefix = indent + mark;
    column = mark === "" ? Math.min(column, widthOf(indent)) : widthOf(prefix);
    const end = closingLine(lines, i + 1, { fence, quotes: quotesIn(indent), column });
    const code = lines
      .slice(i + 1, end)
      .map((codeLine) => withoutPrefix(withoutReturn(codeLine), prefix))
      .join("\n");
    const isClosed = end < lines.length;
    // The end of an open block is an incomplete line, often an empty one.
    blocks.push({
      language,
      meta: meta.join(" "),
      code: isClosed ? code : code.replace(/\n$/, ""),
      heading: lastHeading,
      lineAbove,
      isClosed,
      place: { start: i, end, fence, prefix: indent + mark.replaceAll(/[^\t]/g, " ") },
    });
    lineAbove = "";
    i = end;
  }
  return blocks;
}

/** The text of a heading, without the marks at its end. */
function headingIn(line: string): string | undefined {
  const text = headingStart.exec(line.slice(0, headingMax))?.[1]?.trimEnd();
  if (text === undefined) return undefined;
  let end = text.length;
  while (text.charAt(end - 1) === "#") end -= 1;
  return text.slice(0, end).trimEnd();
}

function closingLine(
  lines: readonly string[],
  from: number,
  { fence, quotes, column }: { fence: string; quotes: number; column: number },
): number {
  const closing = new RegExp(`^((?:[ \\t]|>)*)${fence.charAt(0)}{${fence.length},}[ \\t\\r]*$`);
  for (let i = from; i < lines.length; i++) {
    const indent = closing.exec(lines[i] ?? "")?.[1];
    if (indent !== undefined && quotesIn(indent) <= quotes && widthOf(indent) < column + codeIndent) return i;
  }
  return lines.length;
}

/** The column of the innermost list's item after `line`. */
function columnAfter(line: string, column: number): number {
  if (line.trim() === "") return column;
  const indent = widthOf(prefixStart.exec(line)?.[0] ?? "");
  // Code that looks like a list.
  if (indent >= column + codeIndent) return column;
  const item = itemStart.exec(line)?.[0];
  return item === undefined ? Math.min(column, indent) : widthOf(item);
}

function quotesIn(prefix: string): number {
  return prefix.split(">").length - 1;
}

/** The columns that a prefix takes after its last mark of a quote and the space that belongs to it. */
function widthOf(prefix: string): number {
  const inQuote = prefix.slice(prefix.lastIndexOf(">") + 1);
  const text = inQuote.length < prefix.length ? inQuote.replace(/^ /, "") : inQuote;
  let width = 0;
  for (const character of text) width += character === "\t" ? codeIndent - (width % codeIndent) : 1;
  return width;
}

/** `line` without the indent or the marks of a quote that its fence has. */
function withoutPrefix(line: string, prefix: string): string {
  let at = 0;
  while (at < prefix.length && at < line.length && /[ \t>]/.test(line.charAt(at))) {
    if (line.charAt(at) === ">" && prefix.charAt(at) !== ">") break;
    at += 1;
  }
  return line.slice(at);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
