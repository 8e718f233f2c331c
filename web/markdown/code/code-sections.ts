import type { Root, RootContent } from "hast";

/** Characters. Code is highlighted in sections, so that finished ones are not highlighted again while it streams. */
const sectionMax = 4_000;
const sectionMin = 1_000;
/** A longer line is not highlighted. */
const lineMax = 20_000;

/** Some lines of code; without a tree they have one colour. */
export type CodeSection = { readonly code: string; readonly tree: Root | undefined };

/** The beginning of some code: sections that no later code changes, and the lines after them. */
export type Highlighted = { readonly finished: readonly CodeSection[]; readonly last: CodeSection };

export const nothingHighlighted: Highlighted = { finished: [], last: { code: "", tree: undefined } };

/**
 * Highlights the next lines of `code`: finishes at most one section, or highlights the last lines. `before` is the result
 * for a beginning of `code`.
 */
export function highlightNext(
  code: string,
  before: Highlighted,
  highlight: (code: string) => Root | undefined,
): Highlighted {
  const { finished } = before;
  const rest = code.slice(lengthOf(finished));
  const end = rest.indexOf("\n", sectionMax) + 1;
  if (end === 0) return { finished, last: { code: rest, tree: colour(rest, highlight) } };
  const lines = rest.slice(0, end);
  const tree = colour(lines, highlight);
  const cut = tree === undefined ? end : (lastTopLevelLine(tree, lines) ?? end);
  const section = { code: lines.slice(0, cut), tree: tree && beginningOf(tree, cut) };
  const after = rest.slice(cut, end);
  return { finished: [...finished, section], last: { code: after, tree: colour(after, highlight) } };
}

/** Whether `highlighted` is all of `code`. */
export function isHighlighted(code: string, { finished, last }: Highlighted): boolean {
  return lengthOf(finished) + last.code.length === code.length;
}

export function lengthOf(sections: readonly CodeSection[]): number {
  return sections.reduce((sum, section) => sum + section.code.length, 0);
}

/** Code in pieces of as many characters as a section, each with the offset of its start. */
export function piecesOf(code: string): { start: number; code: string }[] {
  const pieces = [];
  for (let start = 0; start < code.length;) {
    const end = code.indexOf("\n", start + sectionMax) + 1 || code.length;
    pieces.push({ start, code: code.slice(start, end) });
    start = end;
  }
  return pieces;
}

function colour(lines: string, highlight: (code: string) => Root | undefined): Root | undefined {
  return lines.length > sectionMax + lineMax ? undefined : highlight(lines);
}

/** The offset of the last line that is not indented and not inside a comment or a text over several lines. */
function lastTopLevelLine({ children }: Root, lines: string): number | undefined {
  let offset = 0;
  let last = 0;
  for (const node of children) {
    if (node.type === "text")
      for (const { index } of node.value.matchAll(/\n/g)) {
        const start = offset + index + 1;
        if (/^[^\s})\]]/.test(lines.slice(start, start + 1))) last = start;
      }
    offset += textLength(node);
  }
  return last >= sectionMin ? last : undefined;
}

/** The tree of the first `length` characters, which end in a text at the top level or at the end. */
function beginningOf(tree: Root, length: number): Root {
  const children: RootContent[] = [];
  let offset = 0;
  for (const node of tree.children) {
    if (offset >= length) break;
    const end = offset + textLength(node);
    children.push(
      node.type === "text" && end > length ? { ...node, value: node.value.slice(0, length - offset) } : node,
    );
    offset = end;
  }
  return { ...tree, children };
}

function textLength(node: RootContent): number {
  if (node.type === "text") return node.value.length;
  return "children" in node ? node.children.reduce((sum, child) => sum + textLength(child), 0) : 0;
}
