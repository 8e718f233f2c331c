import type { Package } from "./package.ts";
import { readParagraphs } from "./paragraphs.ts";
import type { TextBuffer } from "./text-buffer.ts";

/** A Word document (`.docx`): its body, then its notes and comments. `main` is the part that holds the body. */
export async function readWord(archive: Package, main: string, buffer: TextBuffer): Promise<void> {
  await readParagraphs(archive, main, buffer);
  for (const [part, title] of [
    ["word/footnotes.xml", "Footnotes"],
    ["word/endnotes.xml", "Endnotes"],
    ["word/comments.xml", "Comments"],
  ] as const) {
    if (!archive.has(part)) continue;
    buffer.newLine();
    buffer.add(`\n${title}\n`);
    await readParagraphs(archive, part, buffer);
  }
}
