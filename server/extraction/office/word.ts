import type { Package } from "./package.ts";
import type { Words } from "./words.ts";
import { readXml } from "./xml.ts";

/** A document of a word processor (`.docx`): its paragraphs in order, headings and lists marked, tables row by row. */
export async function readWord(archive: Package, main: string, words: Words): Promise<void> {
  await readStory(archive, main, words);
  for (const [part, title] of [
    ["word/footnotes.xml", "Footnotes"],
    ["word/endnotes.xml", "Endnotes"],
    ["word/comments.xml", "Comments"],
  ] as const) {
    if (!archive.has(part)) continue;
    words.line();
    words.add(`\n${title}\n`);
    await readStory(archive, part, words);
  }
}

async function readStory(archive: Package, part: string, words: Words): Promise<void> {
  let inText = false;
  let cells = 0;
  let skipped = 0;
  // Tabs stand in runs of text; in the properties of a paragraph they are stops.
  let isProperty = false;
  await readXml(archive.read(part), {
    open(name, attributes) {
      // The same once more, for programs that are older.
      if (name === "Fallback" || skipped > 0) skipped++;
      if (skipped > 0) return;
      if (name === "t") inText = true;
      else if (name === "pPr") isProperty = true;
      else if (name === "tab" && !isProperty) words.add("\t");
      else if (name === "br" || name === "cr") words.add("\n");
      else if (name === "tc") cells++;
      else if (name === "pStyle") words.add(headingOf(attributes.get("val") ?? ""));
      else if (name === "numPr") words.add("- ");
    },
    close(name) {
      if (skipped > 0) {
        skipped--;
        return;
      }
      if (name === "t") inText = false;
      else if (name === "p") words.add(cells > 0 ? " " : "\n");
      else if (name === "tc") {
        cells--;
        words.add("| ");
      } else if (name === "tr") words.line();
      else if (name === "pPr") isProperty = false;
    },
    text(text) {
      if (inText && skipped === 0) words.add(text);
    },
  });
}

/** `Heading1` as Word and LibreOffice name it, whatever language they speak. */
function headingOf(style: string): string {
  const level = /^heading ?([1-6])$/i.exec(style)?.[1];
  if (level !== undefined) return `${"#".repeat(Number(level))} `;
  return style === "Title" ? "# " : "";
}
