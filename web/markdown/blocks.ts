import type { Nodes, RootContent } from "mdast";
import { definitionOf, type Definitions, withDefinitions } from "./definitions.ts";
import { closedFence, openFence } from "./fence.ts";
import { endOfLines } from "./parse-cost.ts";
import { parseMarkdown } from "./parse.ts";

/**
 * A longer chunk ends at its next line, so that the time to parse one has a bound. Longer texts are parsed in steps of
 * this length.
 */
const chunkMax = { work: 20_000, lines: 1_000 };

/** Characters. What is beyond them in a line is not parsed. A longer table is divided. */
const lineMax = 20_000;

/**
 * Characters. The rows of a table are a new chunk after this many, because the last chunk is parsed again and again.
 */
const rowsMax = 1_000;

/**
 * A part of a text that can be rendered on its own: a top-level block, a list item or some rows of a table. The items
 * of a list have the same `list` number, the rows of a table the same `table` number. Rows after the first chunk have
 * the header in `tableHead`. `isPlain`: a part of a line that is too long to be parsed.
 */
export type Chunk = {
  readonly source: string;
  readonly list?: number;
  readonly table?: number;
  readonly tableHead?: string;
  readonly isPlain?: true;
};

/** What a chunk has besides its source. */
type Kind = Omit<Chunk, "source">;

/**
 * A text split into chunks; their joined sources are the text. No later text can change a finished chunk, so only
 * `open` is parsed again while an answer streams.
 */
export type Blocks = {
  readonly text: string;
  /** Each one includes the blank lines after it. */
  readonly finished: readonly Chunk[];
  /** The last chunk, which may still change. With `list` or `table` it begins with a part of those. */
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
  // The definitions of a step are only used by the next one, so one map is enough for all steps.
  const shared = blocks.definitions;
  while (blocks.text.length < text.length)
    blocks = addText(blocks, text.slice(0, nextLength(blocks, text)), shared);
  return blocks;
}

/** The length after one more step: some lines, or what is parsed of a line that is too long. */
function nextLength({ text: known, open }: Blocks, text: string): number {
  const end = endOfLines(text.slice(known.length), chunkMax);
  const to = end === 0 ? text.length : known.length + end;
  const from = Math.max(known.length - open.source.length, known.lastIndexOf("\n") + 1);
  const most = from + lineMax + 1;
  if (to <= most || most <= known.length || text.slice(known.length, most).includes("\n")) return to;
  return isPair(text, most) ? most + 1 : most;
}

/** Whether the characters around `at` are one surrogate pair. */
function isPair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1));
}

function addText(base: Blocks, text: string, shared: Definitions): Blocks {
  if (base.open.isPlain) return addToLine(base, text, shared);
  const open = text.slice(base.text.length - base.open.source.length);
  const complete = open.slice(0, open.lastIndexOf("\n") + 1);
  // No chunk ends without a new complete line, or inside a fence.
  const isUnchanged = complete.length === base.open.source.lastIndexOf("\n") + 1;
  if (isUnchanged || openFence(complete) !== undefined)
    return withoutLongLine({ ...base, text, open: { ...base.open, source: open } });

  const fence = closedFence(complete);
  if (fence !== undefined) {
    const source = complete.slice(0, fence.end);
    return addAfter(
      { ...base, finished: [...base.finished, { source }] },
      open.slice(fence.end),
      text,
      shared,
    );
  }
  const { cuts, kind, tableHead } = cutsOf(complete, base);
  const finished = [...base.finished];
  let start = 0;
  for (const cut of cuts) {
    finished.push({ ...cut.kind, source: open.slice(start, cut.at) });
    start = cut.at;
  }
  const definitions = withDefinitions(
    base.definitions,
    cuts.flatMap((cut) => cut.definitions),
    shared,
  );
  const rest = { ...kind, source: open.slice(start) };
  if (start > 0 && /^(?:```|~~~)/.test(rest.source))
    return addAfter({ ...base, finished, definitions }, rest.source, text, shared);
  const end = endOfLines(rest.source, chunkMax);
  if (end === 0) return withoutLongLine({ text, finished, open: rest, definitions });
  finished.push({ ...rest, source: rest.source.slice(0, end) });
  const source = rest.source.slice(end);
  const next = tableHead === undefined ? {} : { table: text.length - source.length, tableHead };
  return withoutLongLine({ text, finished, open: { ...next, source }, definitions });
}

/** Adds the end of `text` after the finished chunks. */
function addAfter(blocks: Blocks, added: string, text: string, shared: Definitions): Blocks {
  const before = { ...blocks, text: text.slice(0, text.length - added.length), open: { source: "" } };
  return added === "" ? before : addText(before, text, shared);
}

/** Ends the last chunk inside an incomplete line that is too long. The rest of that line is plain. */
function withoutLongLine(blocks: Blocks): Blocks {
  const { open, finished } = blocks;
  const line = open.source.length - (open.source.lastIndexOf("\n") + 1);
  if (line <= lineMax || openFence(open.source) !== undefined) return blocks;
  return { ...blocks, finished: [...finished, open], open: { source: "", isPlain: true } };
}

/** Adds to the plain rest of a line, and what comes after the line. */
function addToLine(base: Blocks, text: string, shared: Definitions): Blocks {
  const added = text.slice(base.text.length);
  const end = added.indexOf("\n") + 1;
  const line = { ...base.open, source: base.open.source + (end === 0 ? added : added.slice(0, end)) };
  if (end > 0) {
    const finished = [...base.finished, line];
    const before = text.slice(0, base.text.length + end);
    return addText({ ...base, text: before, finished, open: { source: "" } }, text, shared);
  }
  if (line.source.length <= lineMax) return { ...base, text, open: line };
  return { ...base, text, finished: [...base.finished, line], open: { source: "", isPlain: true } };
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

/** The end of a chunk: of an item of a list, of rows of a table, of definitions, or of another block. */
type Cut = { at: number; kind: Kind; definitions: [string, string][] };

/** The ends of the chunks in `lines`, the kind of the last chunk, and the header if it is a table. */
function cutsOf(lines: string, base: Blocks): { cuts: Cut[]; kind: Kind; tableHead: string | undefined } {
  const head = base.open.tableHead ?? "";
  // The parser drops a byte order mark, which would shift all offsets.
  const shift = (head === "" && lines.startsWith("\uFEFF") ? 1 : 0) - head.length;
  const blocks = parseMarkdown(head + lines.slice(Math.max(0, shift))).children;
  const startOf = (node: Nodes) => lineStart(lines, (node.position?.start.offset ?? 0) + shift);
  // The number of a list or table is its offset in the whole text.
  const offset = base.text.length - base.open.source.length;
  const cuts: Cut[] = [];
  let kind = kindOf(base.open);
  const cut = (at: number, next: Kind, found: [string, string][] = []) => {
    if (at > (cuts.at(-1)?.at ?? 0)) cuts.push({ at, kind, definitions: found });
    kind = next;
  };
  let before: RootContent | undefined;
  let tableHead: string | undefined;
  let definitions: [string, string][] = [];
  for (const node of blocks) {
    const start = startOf(node);
    const closed = before === undefined ? "" : lines.slice(startOf(before), start);
    if (before !== undefined) definitions.push(...definitionOf(before, closed));
    // Directly below a definition, fewer things start a block than at the start of a chunk. So the two stay together.
    const staysTogether = before?.type === "definition" && !/\n[ \t]*\r?\n$/.test(closed);
    if (staysTogether) {
      before = node;
      continue;
    }
    tableHead = undefined;
    const first: Kind = before === undefined ? kind : {};
    const begin = (next: Kind) => (before === undefined ? (kind = next) : cut(start, next, definitions));
    if (node.type === "list") {
      const list = first.list ?? offset + start;
      begin({ list });
      for (const item of node.children.slice(1)) cut(startOf(item), { list });
    } else if (node.type === "table") {
      const isContinued = first.tableHead !== undefined;
      let table = first.table ?? offset + start;
      begin(isContinued ? { table, tableHead: head } : { table });
      tableHead = isContinued ? head : tableHeadOf(lines.slice(start));
      let from = start;
      for (const row of node.children.slice(2)) {
        const at = startOf(row);
        if (at - from < rowsMax || tableHead === undefined) continue;
        if (offset + at - table > lineMax) table = offset + at;
        cut(at, { table, tableHead });
        from = at;
      }
    } else begin({});
    definitions = [];
    before = node;
  }
  return { cuts, kind, tableHead };
}

function kindOf({ source: _, ...kind }: Chunk): Kind {
  return kind;
}

/** The first two lines of the table at the start of `text`. */
function tableHeadOf(text: string): string | undefined {
  return /^.*\n.*\n/.exec(text)?.[0];
}

function sourceOf({ position }: RootContent, text: string): string {
  return text.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
}

/** The start of the line at `offset`, so that a block includes its indent. */
function lineStart(text: string, offset: number): number {
  return offset <= 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}
