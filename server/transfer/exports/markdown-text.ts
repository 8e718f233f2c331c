import { fromMarkdown } from "mdast-util-from-markdown";

/**
 * Markdown that people and models wrote, made to stay where it is put: what it leaves open (a fence of code, a block of
 * HTML) would take in everything that follows it.
 */
export function contained(text: string): string {
  const written = text.replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD");
  const closed = closedByLines(written);
  // Where a fence or a tag stands inside something else, lines alone do not tell what it opens.
  if (!nested.test(written) || endsItself(closed)) return closed;
  return endsItself(written) ? written : fenced(written, "markdown");
}

/** A fence that is not at the beginning of its line, or a tag that begins one. */
const nested = /^(?:[ \t>*+-]|\d+[.)])+(?:`{3}|~{3})|^[ \t>*+\d.)-]*</m;

/** Whether what is written after an empty line stands by itself, as a reader of Markdown sees it. */
function endsItself(text: string): boolean {
  const last = fromMarkdown(`${text}\n\n## .\n`).children.at(-1);
  return last?.type === "heading" && last.depth === 2;
}

function closedByLines(written: string): string {
  const lines = written.split("\n");
  let fence: string | undefined;
  let until: RegExp | undefined;
  let opened = 0;
  for (const [index, line] of lines.entries()) {
    if (fence !== undefined) {
      if (closes(line, fence)) fence = undefined;
      continue;
    }
    if (until !== undefined) {
      if (until.test(line)) until = undefined;
      continue;
    }
    const opening = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
    const html = opening === undefined ? htmlEnd(line) : undefined;
    if (opening !== undefined) fence = opening;
    else if (html !== undefined && !html.end.test(line.slice(html.from))) [until, opened] = [html.end, index];
  }
  if (until !== undefined) lines[opened] = lines[opened]!.replace("<", "\\<");
  const whole = lines.join("\n");
  // What was taken for HTML may have hidden a fence that is open too.
  if (until !== undefined) return closedByLines(whole);
  return fence === undefined ? whole : `${whole}\n${fence}`;
}

/** Text as a block of code that nothing in it can end. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** Text as words of one line, with nothing in it that Markdown or HTML would read. */
export function inline(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_[\]{}|~#]/g, (mark) => `\\${mark}`);
}

/** Folded away under one line, and quoted: the end of a quote ends whatever was begun in it. */
export function folded(summary: string, text: string): string {
  const kept = contained(text).replaceAll(/<(?=[/!?]?[a-z[!-])/gi, "&lt;");
  return details(
    summary,
    kept
      .split("\n")
      .map((line) => `> ${line}`.trimEnd())
      .join("\n"),
  );
}

/** `body` folded away under one line. It must be closed in itself. */
export function details(summary: string, body: string): string {
  return `<details>\n<summary>${inline(summary)}</summary>\n\n${body}\n\n</details>`;
}

/** An address as the target of a link; `undefined` where it is none that a reader should be sent to. */
export function linkTarget(address: string): string | undefined {
  if (!URL.canParse(address) || !/^(https?|mailto):/i.test(address)) return undefined;
  return `<${new URL(address).href.replaceAll(/[<>\s]/g, encodeURIComponent)}>`;
}

function closes(line: string, fence: string): boolean {
  const mark = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length;
}

/** Blocks of HTML that end at a mark and not at an empty line (CommonMark's kinds 1 to 5): where they begin, what ends them. */
function htmlEnd(line: string): { from: number; end: RegExp } | undefined {
  const [start] = /^ {0,3}</.exec(line) ?? [];
  if (start === undefined) return undefined;
  const rest = line.slice(start.length);
  const from = start.length;
  if (/^(script|pre|style|textarea)(\s|>|$)/i.test(rest))
    return { from, end: /<\/(script|pre|style|textarea)>/i };
  // An end may follow its beginning at once, and `<!-->` is a whole comment.
  if (rest.startsWith("!--")) return { from: from + 1, end: /-->/ };
  if (rest.startsWith("?")) return { from: from + 1, end: /\?>/ };
  if (rest.startsWith("![CDATA[")) return { from, end: /\]\]>/ };
  if (/^![a-z]/i.test(rest)) return { from, end: />/ };
  return undefined;
}
