import { describe, expect, it, vi } from "vitest";
import { type Blocks, type Chunk, noBlocks, splitBlocks } from "./blocks.ts";
import { openFence } from "./fence.ts";
import { parseMarkdown } from "./parse.ts";

// Counts what is parsed.
vi.mock("./parse.ts", { spy: true });

describe("the characters that are parsed and rendered", () => {
  const words =
    "The quick brown fox jumps over **the lazy** dog, runs `code` and sees [a link](https://x.example). ";
  const rows = "| The quick | brown **fox** | jumps over | 1 |\n";
  const bySize: Record<string, (size: number) => string> = {
    paragraphs: (size) => repeated(`${words.repeat(3)}\n\n`, size),
    "one line": (size) => repeated(words, size),
    "a list": (size) => repeated(`- ${words}\n`, size),
    "a list in a list": (size) => `- a\n${repeated(`  - ${words}\n`, size)}`,
    "a table": (size) => `| a | b | c | d |\n|---|---|---|---|\n${repeated(rows, size)}`,
    "a code block": (size) => `\`\`\`js\n${repeated("const a = 1; // a line of code\n", size)}`,
    footnotes: (size) => repeated("[^1]: The quick brown fox\n", size),
  };
  const cases = Object.entries(bySize).map(([name, text]) => ({ name, text }));

  it.each(cases)("are in proportion to the length of $name, while it streams and at once", ({ text }) => {
    for (const delta of [1_000, Infinity]) {
      const half = work(text(25_000), delta);
      expect(work(text(50_000), delta)).toBeLessThanOrEqual(2.3 * half);
    }
  });

  it.each(cases.filter(({ name }) => !/line|in a list/.test(name)))(
    "are those of the last part, with each delta of $name",
    ({ text }) => {
      expect(work(text(10_000), 60)).toBeLessThan((10_000 / 60) * 3_000);
    },
  );
});

const repeated = (line: string, size: number) => line.repeat(Math.ceil(size / line.length));

/** The characters that are parsed to find the chunks of `text`, and those of chunks that are new or have changed. */
function work(text: string, delta: number): number {
  vi.mocked(parseMarkdown).mockClear();
  let rendered = 0;
  let before: Chunk[] = [];
  for (const { finished, open } of stream(text, delta)) {
    const chunks = [...finished, open];
    for (const [i, { source }] of chunks.entries())
      if (source !== before[i]?.source && openFence(source) === undefined) rendered += source.length;
    before = chunks;
  }
  return vi.mocked(parseMarkdown).mock.calls.reduce((sum, [parsed]) => sum + parsed.length, rendered);
}

function* stream(text: string, delta: number): Generator<Blocks> {
  let blocks = noBlocks;
  while (blocks.text.length < text.length) {
    blocks = splitBlocks(text.slice(0, blocks.text.length + delta), blocks);
    yield blocks;
  }
}
