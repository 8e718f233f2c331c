import type { RootContent } from "mdast";
import { openFence } from "./fence.ts";
import { parseMarkdown } from "./parse.ts";

/**
 * A part of a text that can be rendered on its own: a top-level block or a list item. Items of the same list have the
 * same `list` number.
 */
export type Chunk = { readonly source: string; readonly list?: number };

/**
 * A text split into chunks; their joined sources are the text. No later text can change a finished chunk, so only `open`
 * is parsed again while an answer streams.
 */
export type Blocks = {
  readonly text: string;
  /** Each one includes the blank lines after it. */
  readonly finished: readonly Chunk[];
  /** The last chunk, which may still change. `list`: it begins with an item of that list. */
  readonly open: Chunk;
  /** The link and footnote definitions in the finished chunks. They apply to the whole text. */
  readonly definitions: string;
};

export const noBlocks: Blocks = { text: "", finished: [], open: { source: "" }, definitions: "" };

/**
 * Splits `text` into chunks. If `text` begins with the text of `before`, only the added text is parsed.
 *
 * CommonMark decides blocks line by line, so a block or list item that is followed by another one on complete lines
 * cannot change any more. An incomplete last line decides nothing: "#" may become a heading or "#word", "-" a list or a
 * thematic break.
 */
export function splitBlocks(text: string, before: Blocks = noBlocks): Blocks {
  const base = text.startsWith(before.text) ? before : noBlocks;
  if (text === base.text) return base;
  const open = text.slice(base.text.length - base.open.source.length);
  const complete = open.slice(0, open.lastIndexOf("\n") + 1);
  // No chunk ends without a new complete line, or inside a fence.
  const isUnchanged =
    complete.length === base.open.source.lastIndexOf("\n") + 1 || openFence(open) !== undefined;
  if (isUnchanged) return { ...base, text, open: chunk(open, base.open.list) };

  const { cuts, openList } = cutsOf(complete, base);
  const finished = [...base.finished];
  let definitions = base.definitions;
  let start = 0;
  for (const cut of cuts) {
    finished.push(chunk(open.slice(start, cut.at), cut.list));
    definitions += cut.definition;
    start = cut.at;
  }
  return { text, finished, open: chunk(open.slice(start), openList), definitions };
}

/** The definitions of a complete text, including those in its last chunk. */
export function allDefinitions({ definitions, open }: Blocks): string {
  if (!open.source.includes("]:")) return definitions;
  const nodes = parseMarkdown(open.source).children;
  const sourceOf = ({ position }: RootContent) =>
    open.source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
  return definitions + nodes.map((node) => definitionOf(node, sourceOf(node))).join("");
}

/** The end of a chunk: of an item of `list`, of a definition, or of another block. */
type Cut = { at: number; list: number | undefined; definition: string };

/** The ends of the chunks in `lines`, and the list of the last chunk. */
function cutsOf(lines: string, base: Blocks): { cuts: Cut[]; openList: number | undefined } {
  // The parser drops a byte order mark, which would shift all offsets.
  const shift = lines.startsWith("\uFEFF") ? 1 : 0;
  const blocks = parseMarkdown(shift === 1 ? lines.slice(1) : lines).children;
  const startOf = (node: RootContent) => lineStart(lines, (node.position?.start.offset ?? 0) + shift);
  // The number of a list is its offset in the whole text.
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
    // Directly below a definition, fewer things start a block than at the start of a chunk. So the two stay together.
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
  // Indented lines would continue a footnote. The comment ends it before the text that follows.
  if (node.type === "footnoteDefinition") return `[^${node.label ?? node.identifier}]: .\n\n<!-- -->\n\n`;
  return "";
}

function chunk(source: string, list: number | undefined): Chunk {
  return list === undefined ? { source } : { source, list };
}

/** The start of the line at `offset`, so that a block includes its indent. */
function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}
