import type { Package } from "./package.ts";
import type { TextBuffer } from "./text-buffer.ts";
import { readXml } from "./xml.ts";

/**
 * Reads the text of a part of a Word document or a presentation: paragraphs in order, headings and lists marked,
 * tables row by row. Both formats name these elements alike.
 */
export async function readParagraphs(archive: Package, part: string, buffer: TextBuffer): Promise<void> {
  let inText = false;
  let inProperties = false;
  let cells = 0;
  let skipped = 0;
  await readXml(archive.read(part), {
    open(name, attributes) {
      // The number of a slide, and copies of content for older programs.
      const isSlideNumber = name === "fld" && attributes.get("type") === "slidenum";
      if (isSlideNumber || name === "Fallback" || skipped > 0) skipped++;
      if (skipped > 0) return;
      if (name === "t") inText = true;
      else if (name === "pPr") inProperties = true;
      // In the properties of a paragraph, a tab is a tab stop.
      else if (name === "tab" && !inProperties) buffer.add("\t");
      else if (name === "br" || name === "cr") buffer.add("\n");
      else if (name === "tc") cells++;
      else if (name === "pStyle") buffer.add(headingOf(attributes.get("val") ?? ""));
      else if (name === "numPr") buffer.add("- ");
    },
    close(name) {
      if (skipped > 0) {
        skipped--;
        return;
      }
      if (name === "t") inText = false;
      else if (name === "pPr") inProperties = false;
      else if (name === "p") buffer.add(cells > 0 ? " " : "\n");
      else if (name === "tc") {
        cells--;
        buffer.add("| ");
      } else if (name === "tr") buffer.newLine();
    },
    text(text) {
      if (inText && skipped === 0) buffer.add(text);
    },
  });
}

/** Word and LibreOffice name this style `Heading1` in every language. */
function headingOf(style: string): string {
  const level = /^heading ?([1-6])$/i.exec(style)?.[1];
  if (level !== undefined) return `${"#".repeat(Number(level))} `;
  return style === "Title" ? "# " : "";
}
