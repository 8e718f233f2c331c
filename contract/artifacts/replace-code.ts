import { fencedBlocks, type FencedBlock } from "./fenced-blocks.ts";

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

/** `fence`, or one that is longer than each in the code. */
function fenceAround(code: string, fence: string): string {
  const mark = fence.charAt(0);
  const inCode = code.match(new RegExp(`^[ \\t>]*${mark}{3,}`, "gm")) ?? [];
  const longest = Math.max(0, ...inCode.map((line) => line.replaceAll(/[ \t>]/g, "").length));
  return mark.repeat(Math.max(fence.length, longest + 1));
}
