import { fencedBlocks, type FencedBlock } from "./fenced-blocks.ts";
import { fenceAround } from "./fenced.ts";

/**
 * The texts of an answer with other code in the fenced block at a position, counted over all texts. The fence gets longer
 * if the code has such a fence itself. A block without an end, of an answer that was stopped, gets one. `undefined`
 * without a block there.
 */
export function withCode(texts: readonly string[], position: number, code: string): string[] | undefined {
  let first = 0;
  for (const [index, text] of texts.entries()) {
    const blocks = fencedBlocks(text);
    const block = blocks[position - first];
    if (block !== undefined) return texts.with(index, replace(text, block, code));
    first += blocks.length;
  }
  return undefined;
}

function replace(text: string, { place }: FencedBlock, code: string): string {
  const { start, end, fence, prefix } = place;
  const lines = text.split("\n");
  const newFence = fenceAround(code, fence);
  return [
    ...lines.slice(0, start),
    lines[start]?.replace(fence, newFence) ?? "",
    ...code.split("\n").map((line) => prefix + line),
    prefix + newFence,
    ...lines.slice(end + 1),
  ].join("\n");
}
