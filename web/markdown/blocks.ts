import type { RootContent } from "mdast";
import { openFence } from "./fence.ts";
import { parseMarkdown } from "./parse.ts";

/**
 * A piece of a text that can be shown on its own: a top-level block, or one item of a list. `list` numbers the list
 * that an item belongs to, so that neighbours can be shown as one list.
 */
export type Piece = { readonly source: string; readonly list?: number };

/**
 * A text in pieces. Their sources joined are the text. All but `open` are finished, whatever may still follow, so that
 * only `open` is read anew while an answer is written.
 */
export type Blocks = {
  readonly text: string;
  /** Each with the blank lines after it. */
  readonly finished: readonly Piece[];
  /** From the start of the last piece on; it may yet become anything. `list`: it begins with an item of that list. */
  readonly open: Piece;
  /** The link and footnote definitions in the finished pieces: they apply to the whole text. */
  readonly definitions: string;
};

export const noBlocks: Blocks = { text: "", finished: [], open: { source: "" }, definitions: "" };

/**
 * `text` in pieces. With the blocks of an earlier, shorter text that `text` begins with, only what was added is read.
 *
 * What makes it right: CommonMark decides blocks line by line, so among complete lines a block (or a list item) that
 * another one follows is closed for good. A last line that is not complete decides nothing: "#" may become a heading
 * or "#word", "-" a list or a ruler.
 */
export function splitBlocks(text: string, before: Blocks = noBlocks): Blocks {
  const base = text.startsWith(before.text) ? before : noBlocks;
  if (text === base.text) return base;
  const open = text.slice(base.text.length - base.open.source.length);
  const complete = open.slice(0, open.lastIndexOf("\n") + 1);
  // Nothing is finished without a new complete line, nor inside a fence.
  const isQuiet = complete.length === base.open.source.lastIndexOf("\n") + 1 || openFence(open) !== undefined;
  if (isQuiet) return { ...base, text, open: piece(open, base.open.list) };

  const { cuts, openList } = cutsOf(complete, base);
  const finished = [...base.finished];
  let definitions = base.definitions;
  let start = 0;
  for (const cut of cuts) {
    finished.push(piece(open.slice(start, cut.at), cut.list));
    definitions += cut.definition;
    start = cut.at;
  }
  return { text, finished, open: piece(open.slice(start), openList), definitions };
}

/** The definitions of a text that is complete: those of its last piece count too. */
export function allDefinitions({ definitions, open }: Blocks): string {
  if (!open.source.includes("]:")) return definitions;
  const nodes = parseMarkdown(open.source).children;
  const sourceOf = ({ position }: RootContent) =>
    open.source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
  return definitions + nodes.map((node) => definitionOf(node, sourceOf(node))).join("");
}

/** A place to cut, and what ends there: an item of `list`, a definition, or neither. */
type Cut = { at: number; list: number | undefined; definition: string };

/** Where the pieces of `lines` end, and the list that the last one belongs to. */
function cutsOf(lines: string, base: Blocks): { cuts: Cut[]; openList: number | undefined } {
  // A byte order mark is dropped by the parser and would shift every offset.
  const shift = lines.startsWith("\uFEFF") ? 1 : 0;
  const blocks = parseMarkdown(shift === 1 ? lines.slice(1) : lines).children;
  const startOf = (node: RootContent) => lineStart(lines, (node.position?.start.offset ?? 0) + shift);
  // Lists are numbered by where they begin in the whole text.
  const offset = base.text.length - base.open.source.length;
  const cuts: Cut[] = [];
  const add = (cut: Cut) => {
    if (cut.at > (cuts.at(-1)?.at ?? 0)) cuts.push(cut);
  };
  let before: { node: RootContent; list: number | undefined } | undefined;
  let definition = "";
  for (const node of blocks) {
    const start = startOf(node);
    const closed = before === undefined ? "" : lines.slice(startOf(before.node), start);
    // Right below a definition fewer things begin a block than at the start of a piece, so the two stay together.
    const isGlued = before?.node.type === "definition" && !/\n[ \t]*\r?\n$/.test(closed);
    if (before !== undefined) {
      definition += definitionOf(before.node, closed);
      if (!isGlued) {
        add({ at: start, list: before.list, definition });
        definition = "";
      }
    }
    const isList = node.type === "list" && !isGlued;
    const list = isList ? ((before === undefined ? base.open.list : undefined) ?? offset + start) : undefined;
    if (isList) {
      for (const item of node.children.slice(1)) add({ at: startOf(item), list, definition: "" });
    }
    before = { node, list };
  }
  return { cuts, openList: before?.list };
}

function definitionOf(node: RootContent, source: string): string {
  if (node.type === "definition") return `${source.trim()}\n\n`;
  // A note goes on in indented lines; the comment ends it, so that it cannot take what it is put in front of.
  if (node.type === "footnoteDefinition") return `[^${node.label ?? node.identifier}]: .\n\n<!-- -->\n\n`;
  return "";
}

function piece(source: string, list: number | undefined): Piece {
  return list === undefined ? { source } : { source, list };
}

/** The start of the line of `offset`: a block's indent belongs to it. */
function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}
