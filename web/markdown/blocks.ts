import type { RootContent, Table } from "mdast";
import { definitionOf, type Definitions, withDefinitions } from "./definitions.ts";
import { openFence } from "./fence.ts";
import { parseMarkdown } from "./parse.ts";

/**
 * Characters. A longer chunk ends at its next line, so that the time to parse one has a bound. Longer texts are parsed in
 * steps of this length.
 */
const chunkMax = 20_000;

/**
 * A part of a text that can be rendered on its own: a top-level block or a list item. Items of the same list have the
 * same `list` number. A chunk that continues a long table has the header in `tableHead`.
 */
export type Chunk = { readonly source: string; readonly list?: number; readonly tableHead?: string };

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
  /** The link and footnote definitions in the finished chunks, by label. They apply to the whole text. */
  readonly definitions: Definitions;
};

export const noBlocks: Blocks = { text: "", finished: [], open: { source: "" }, definitions: new Map() };

/**
 * Splits `text` into chunks. If `text` begins with the text of `before`, only the added text is parsed.
 *
 * CommonMark decides blocks line by line, so a block or list item that is followed by another one on complete lines
 * cannot change any more. An incomplete last line decides nothing: "#" may become a heading or "#word", "-" a list or a
 * thematic break.
 */
export function splitBlocks(text: string, before: Blocks = noBlocks): Blocks {
  // Not `startsWith`, which V8 compiles to a loop over the characters that is several times slower.
  let blocks = text.slice(0, before.text.length) === before.text ? before : noBlocks;
  while (blocks.text.length < text.length) {
    const to = blocks.text.length + chunkMax;
    const end = to < text.length ? text.indexOf("\n", to) + 1 : 0;
    blocks = addText(blocks, end === 0 ? text : text.slice(0, end));
  }
  return blocks;
}

function addText(base: Blocks, text: string): Blocks {
  const open = text.slice(base.text.length - base.open.source.length);
  const complete = open.slice(0, open.lastIndexOf("\n") + 1);
  // No chunk ends without a new complete line, or inside a fence.
  const isUnchanged =
    complete.length === base.open.source.lastIndexOf("\n") + 1 || openFence(open) !== undefined;
  if (isUnchanged) return { ...base, text, open: chunk(open, base.open.list, base.open.tableHead) };

  const { cuts, openList, tableHead } = cutsOf(complete, base);
  const finished = [...base.finished];
  let start = 0;
  for (const cut of cuts) {
    const head = start === 0 ? base.open.tableHead : undefined;
    finished.push(chunk(open.slice(start, cut.at), cut.list, head));
    start = cut.at;
  }
  const definitions = withDefinitions(
    base.definitions,
    cuts.flatMap((cut) => cut.definitions),
  );
  const rest = chunk(open.slice(start), openList, start === 0 ? base.open.tableHead : undefined);
  const end = rest.source.indexOf("\n", chunkMax) + 1;
  if (end === 0) return { text, finished, open: rest, definitions };
  finished.push({ ...rest, source: rest.source.slice(0, end) });
  return { text, finished, open: chunk(rest.source.slice(end), undefined, tableHead), definitions };
}

/** The definitions of a complete text, including those in its last chunk. */
export function allDefinitions({ definitions, open }: Blocks): Definitions {
  if (!open.source.includes("]:")) return definitions;
  const nodes = parseMarkdown(open.source).children;
  return withDefinitions(
    definitions,
    nodes.flatMap((node) => definitionOf(node, sourceOf(node, open.source))),
  );
}

/** The end of a chunk: of an item of `list`, of definitions, or of another block. */
type Cut = { at: number; list: number | undefined; definitions: [string, string][] };

/** The ends of the chunks in `lines`, the list of the last chunk, and the header if it is a table. */
function cutsOf(
  lines: string,
  base: Blocks,
): { cuts: Cut[]; openList: number | undefined; tableHead: string | undefined } {
  const head = base.open.tableHead ?? "";
  // The parser drops a byte order mark, which would shift all offsets.
  const shift = (head === "" && lines.startsWith("\uFEFF") ? 1 : 0) - head.length;
  const blocks = parseMarkdown(head + lines.slice(Math.max(0, shift))).children;
  const startOf = (node: RootContent) => lineStart(lines, (node.position?.start.offset ?? 0) + shift);
  // The number of a list is its offset in the whole text.
  const offset = base.text.length - base.open.source.length;
  const cuts: Cut[] = [];
  const add = (cut: Cut) => {
    if (cut.at > (cuts.at(-1)?.at ?? 0)) cuts.push(cut);
  };
  let before: { node: RootContent; list: number | undefined } | undefined;
  let definitions: [string, string][] = [];
  for (const node of blocks) {
    const start = startOf(node);
    const closed = before === undefined ? "" : lines.slice(startOf(before.node), start);
    // Directly below a definition, fewer things start a block than at the start of a chunk. So the two stay together.
    const isGlued = before?.node.type === "definition" && !/\n[ \t]*\r?\n$/.test(closed);
    if (before !== undefined) {
      definitions.push(...definitionOf(before.node, closed));
      if (!isGlued) {
        add({ at: start, list: before.list, definitions });
        definitions = [];
      }
    }
    const isList = node.type === "list" && !isGlued;
    const list = isList ? ((before === undefined ? base.open.list : undefined) ?? offset + start) : undefined;
    if (isList) {
      for (const item of node.children.slice(1)) add({ at: startOf(item), list, definitions: [] });
    }
    before = { node, list };
  }
  const tableHead = before?.node.type === "table" ? tableHeadOf(before.node, head + lines) : undefined;
  return { cuts, openList: before?.list, tableHead };
}

function chunk(source: string, list: number | undefined, tableHead?: string): Chunk {
  return {
    source,
    ...(list === undefined ? {} : { list }),
    ...(tableHead === undefined ? {} : { tableHead }),
  };
}

/** The first two lines of a table. */
function tableHeadOf({ position }: Table, text: string): string | undefined {
  return /^.*\n.*\n/.exec(text.slice(position?.start.offset ?? 0))?.[0];
}

function sourceOf({ position }: RootContent, text: string): string {
  return text.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
}

/** The start of the line at `offset`, so that a block includes its indent. */
function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}
