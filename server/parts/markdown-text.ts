import type { Nodes } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { type Json, printJson } from "#contract/json.ts";

/**
 * Closes open code fences and HTML blocks in Markdown of people and models. Otherwise they would contain everything that
 * follows in the export.
 */
export function closeBlocks(text: string): string {
  const written = text.replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD");
  const closed = closeLineByLine(written);
  // Nested fences and tags need a parser.
  if (!nested.test(written) || isClosed(closed)) return closed;
  return isClosed(written) ? written : fenced(written, "markdown");
}

/** A fence that is not at the start of its line, or a tag that is. */
const nested = /^(?:[ \t>*+-]|\d+[.)])+(?:`{3}|~{3})|^[ \t>*+\d.)-]*</m;

/** Whether a Markdown parser reads a heading after the text as a heading. */
function isClosed(text: string): boolean {
  const last = fromMarkdown(`${text}\n\n## .\n`).children.at(-1);
  return last?.type === "heading" && last.depth === 2;
}

function closeLineByLine(written: string): string {
  const lines = written.split("\n");
  let fence: string | undefined;
  let until: RegExp | undefined;
  let opened = 0;
  for (const [index, line] of lines.entries()) {
    if (fence !== undefined) {
      if (isClosingFence(line, fence)) fence = undefined;
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
  // The HTML block may have contained an open fence.
  if (until !== undefined) return closeLineByLine(whole);
  return fence === undefined ? whole : `${whole}\n${fence}`;
}

/** Text as a code block that nothing in the text can end. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language.replaceAll(/[^\w+#.-]/g, "")}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

export function fencedJson(value: Json): string {
  return fenced(printJson(value), "json");
}

/** Text on one line, with Markdown and HTML escaped. */
export function inline(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .trim()
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[\\`*_[\]{}|~#]/g, (mark) => `\\${mark}`);
}

/** Markdown under a collapsed summary, as a quote. The end of a quote closes everything in it. */
export function folded(summary: string, text: string): string {
  return details(summary, quoted(escapeTags(closeBlocks(text))));
}

/** Markdown in which no HTML can end an element around it. Code stays as it was written. */
export function escapeTags(text: string): string {
  let escaped = "";
  let end = 0;
  for (const code of codeIn(text)) {
    escaped += text.slice(end, code.start).replaceAll(tagStart, "&lt;") + text.slice(code.start, code.end);
    end = code.end;
  }
  return escaped + text.slice(end).replaceAll(tagStart, "&lt;");
}

const tagStart = /<(?=[a-z/!?])/gi;

type Range = { start: number; end: number };

/** Where the fenced blocks and code spans are in a text whose tags are escaped, in order. */
function codeIn(text: string): Range[] {
  const withoutTags = text.replaceAll(tagStart, "&");
  if (withoutTags === text || !/[`~]/.test(text)) return [];
  const found: Range[] = [];
  const nodes: Nodes[] = [fromMarkdown(withoutTags)];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if ("children" in node) nodes.push(...node.children.toReversed());
    if (node.type !== "code" && node.type !== "inlineCode") continue;
    const [start, end] = [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0];
    // A tag can end what is no code in other dialects: a code span at a new line or at a cell of a table, and an indented block.
    if (node.type === "code" ? /[`~]/.test(text.charAt(start)) : !/[\n\r|]/.test(text.slice(start, end)))
      found.push({ start, end });
  }
  return found;
}

/** Markdown as a quote. */
export function quoted(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

/** `body` under a collapsed summary. It must have no open fence or HTML block. */
export function details(summary: string, body: string): string {
  return `<details>\n<summary>${inline(summary)}</summary>\n\n${body}\n\n</details>`;
}

/** A URL as a link target; `undefined` if it is not http, https or mailto. */
export function linkTarget(url: string): string | undefined {
  if (!URL.canParse(url) || !/^(https?|mailto):/i.test(url)) return undefined;
  return `<${new URL(url).href.replaceAll(/[<>\s]/g, encodeURIComponent)}>`;
}

function isClosingFence(line: string, fence: string): boolean {
  const mark = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length;
}

/** HTML blocks that do not end at an empty line (CommonMark's kinds 1 to 5): where they start and what ends them. */
function htmlEnd(line: string): { from: number; end: RegExp } | undefined {
  const [start] = /^ {0,3}</.exec(line) ?? [];
  if (start === undefined) return undefined;
  const rest = line.slice(start.length);
  const from = start.length;
  if (/^(script|pre|style|textarea)(\s|>|$)/i.test(rest))
    return { from, end: /<\/(script|pre|style|textarea)>/i };
  // `<!-->` is a complete comment.
  if (rest.startsWith("!--")) return { from: from + 1, end: /-->/ };
  if (rest.startsWith("?")) return { from: from + 1, end: /\?>/ };
  if (rest.startsWith("![CDATA[")) return { from, end: /\]\]>/ };
  if (/^![a-z]/i.test(rest)) return { from, end: />/ };
  return undefined;
}
