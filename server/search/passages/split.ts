/** A part of a text that can be read alone: a paragraph, some list items, or a few sentences. */
export type Piece = { start: number; end: number };

/** Shorter pieces are joined with the next one. */
const pieceLengthMin = 100;
/** Longer pieces are split at the end of a sentence. */
const pieceLengthMax = 600;

const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });
const fence = /^\s*(?:```|~~~)/;
const item = /^\s*(?:[-*+•]|\d{1,3}[.)])\s/;
const heading = /^\s*#{1,6}\s/;

/** Splits `text` into consecutive pieces. Only white space is left out. */
export function split(text: string): Piece[] {
  return joinShort(
    blocksOf(text).flatMap((block) => cutLong(text, block)),
    text,
  );
}

type Block = Piece & { belongsToNext: boolean };

/** Paragraphs, list items and fenced code. A heading, or a line with a colon at its end, belongs to the next block. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let block: Block | undefined;
  let fenced = false;
  let at = 0;
  for (const line of text.split("\n")) {
    const end = at + line.length;
    const blank = line.trim() === "";
    if (!fenced && (blank || item.test(line) || heading.test(line) || block?.belongsToNext === true))
      block = undefined;
    if (!blank || fenced) {
      if (block === undefined) blocks.push((block = { start: at, end, belongsToNext: false }));
      block.end = end;
      if (fence.test(line)) fenced = !fenced;
      if (!fenced) block.belongsToNext = heading.test(line) || /[:：]\s*$/.test(line);
    }
    at = end + 1;
  }
  return blocks;
}

function cutLong(text: string, block: Block): Block[] {
  if (block.end - block.start <= pieceLengthMax) return [block];
  const cut: Block[] = [];
  let start = block.start;
  let end = start;
  for (const { segment, index } of sentences.segment(text.slice(block.start, block.end))) {
    const next = block.start + index + segment.length;
    if (next - start > pieceLengthMax && end > start) {
      cut.push({ start, end, belongsToNext: false });
      start = end;
    }
    end = next;
    // Text without sentences is split anywhere.
    for (; end - start > pieceLengthMax; start += pieceLengthMax)
      cut.push({ start, end: start + pieceLengthMax, belongsToNext: false });
  }
  if (end > start) cut.push({ start, end, belongsToNext: block.belongsToNext });
  return cut;
}

function joinShort(blocks: Block[], text: string): Piece[] {
  const pieces: Piece[] = [];
  let open: Block | undefined;
  for (const block of blocks) {
    if (open === undefined) open = { ...block };
    else {
      open.end = block.end;
      open.belongsToNext = block.belongsToNext;
    }
    if (open.belongsToNext || effectiveLength(text, open) < pieceLengthMin) continue;
    pieces.push(open);
    open = undefined;
  }
  const last = pieces.at(-1);
  if (open === undefined) return pieces;
  if (last !== undefined && !open.belongsToNext && effectiveLength(text, open) < pieceLengthMin / 2)
    last.end = open.end;
  else pieces.push(open);
  return pieces;
}

/** Its length, where characters of scripts without spaces count three times. */
function effectiveLength(text: string, { start, end }: Piece): number {
  const written = text.slice(start, end);
  return written.length + 2 * (written.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/g)?.length ?? 0);
}
