/** A piece of a text that can be read alone: a paragraph, some items of a list, a few sentences of something long. */
export type Piece = { start: number; end: number };

/** Less than this is read together with what follows. */
const piecesFromCharacters = 100;
/** More than this is cut at the end of a sentence. */
const pieceCharacters = 600;

const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });
const fence = /^\s*(?:```|~~~)/;
const item = /^\s*(?:[-*+•]|\d{1,3}[.)])\s/;
const heading = /^\s*#{1,6}\s/;

/** Cuts `text` into pieces that follow each other and leave out nothing but space. */
export function split(text: string): Piece[] {
  return joinShort(
    blocksOf(text).flatMap((block) => cutLong(text, block)),
    text,
  );
}

type Block = Piece & { opens: boolean };

/** Paragraphs, items and fenced code; a heading, or a line that ends in a colon, opens what follows it. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let block: Block | undefined;
  let fenced = false;
  let at = 0;
  for (const line of text.split("\n")) {
    const end = at + line.length;
    const blank = line.trim() === "";
    if (!fenced && (blank || item.test(line) || heading.test(line) || block?.opens === true))
      block = undefined;
    if (!blank || fenced) {
      if (block === undefined) blocks.push((block = { start: at, end, opens: false }));
      block.end = end;
      if (fence.test(line)) fenced = !fenced;
      if (!fenced) block.opens = heading.test(line) || /[:：]\s*$/.test(line);
    }
    at = end + 1;
  }
  return blocks;
}

function cutLong(text: string, block: Block): Block[] {
  if (block.end - block.start <= pieceCharacters) return [block];
  const cut: Block[] = [];
  let start = block.start;
  let end = start;
  for (const { segment, index } of sentences.segment(text.slice(block.start, block.end))) {
    const next = block.start + index + segment.length;
    if (next - start > pieceCharacters && end > start) {
      cut.push({ start, end, opens: false });
      start = end;
    }
    end = next;
    // What has no sentences is cut anywhere.
    for (; end - start > pieceCharacters; start += pieceCharacters)
      cut.push({ start, end: start + pieceCharacters, opens: false });
  }
  if (end > start) cut.push({ start, end, opens: block.opens });
  return cut;
}

function joinShort(blocks: Block[], text: string): Piece[] {
  const pieces: Piece[] = [];
  let open: Block | undefined;
  for (const block of blocks) {
    if (open === undefined) open = { ...block };
    else {
      open.end = block.end;
      open.opens = block.opens;
    }
    if (open.opens || weightOf(text, open) < piecesFromCharacters) continue;
    pieces.push(open);
    open = undefined;
  }
  const last = pieces.at(-1);
  if (open === undefined) return pieces;
  if (last !== undefined && !open.opens && weightOf(text, open) < piecesFromCharacters / 2)
    last.end = open.end;
  else pieces.push(open);
  return pieces;
}

/** Its length, where a character of a script without spaces counts for three: it says as much. */
function weightOf(text: string, { start, end }: Piece): number {
  const written = text.slice(start, end);
  return written.length + 2 * (written.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/g)?.length ?? 0);
}
