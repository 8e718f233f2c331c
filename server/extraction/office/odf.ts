import type { Package } from "./package.ts";
import { ExtractionError } from "../extraction-error.ts";
import { setCell } from "./sheets.ts";
import type { TextBuffer } from "./text-buffer.ts";
import { readXml } from "./xml.ts";

/** A sheet may declare that a cell repeats a million times. */
const repeatsMax = 100;

/** Reads an OpenDocument text, spreadsheet or presentation (`.odt`, `.ods`, `.odp`). */
export async function readOpenDocument(archive: Package, buffer: TextBuffer): Promise<void> {
  await refuseLocked(archive);
  let row: string[] | undefined;
  let cell: { repeats: number; text: string } | undefined;
  let column = 0;
  let rowRepeats = 1;
  let slides = 0;
  let inText = 0;
  let skipped = 0;
  const addText = (text: string) => {
    if (cell === undefined) buffer.add(text);
    else cell.text += text;
  };
  await readXml(archive.read("content.xml"), {
    open(name, attributes) {
      // Deleted text and comments.
      if (name === "tracked-changes" || name === "annotation" || skipped > 0) skipped++;
      if (skipped > 0) return;
      if (name === "p" || name === "h") inText++;
      if (name === "h") addText(`${"#".repeat(level(attributes.get("outline-level")))} `);
      else if (name === "list-item") addText("- ");
      else if (name === "tab") addText("\t");
      else if (name === "line-break") addText("\n");
      else if (name === "s") addText(" ".repeat(Math.min(repeatsMax, Number(attributes.get("c") ?? 1) || 1)));
      else if (name === "page") buffer.add(`\n--- slide ${++slides} ---\n`);
      else if (name === "table") buffer.add(`\n--- table ${attributes.get("name") ?? ""} ---\n`);
      else if (name === "table-row") {
        row = [];
        column = 0;
        rowRepeats = repeats(attributes.get("number-rows-repeated"));
      } else if (name === "table-cell" || name === "covered-table-cell")
        cell = { repeats: repeats(attributes.get("number-columns-repeated")), text: "" };
    },
    close(name) {
      if (skipped > 0) {
        skipped--;
        return;
      }
      if (name === "p" || name === "h") {
        inText--;
        addText(cell === undefined ? "\n" : " ");
      } else if (name === "table-cell" || name === "covered-table-cell") {
        const text = cell?.text.trim() ?? "";
        const times = cell?.repeats ?? 1;
        if (text !== "")
          for (let n = 0; n < Math.min(times, repeatsMax); n++) setCell((row ??= []), column + n, text);
        column += times;
        cell = undefined;
      } else if (name === "table-row") {
        if (row !== undefined && row.length > 0)
          for (let n = 0; n < Math.min(rowRepeats, repeatsMax); n++) buffer.add(`${row.join(",")}\n`);
        row = undefined;
      }
    },
    text(text) {
      // Whitespace between elements is only the file's layout.
      if (inText > 0 && skipped === 0) addText(text.replace(/\s+/g, " "));
    },
  });
}

async function refuseLocked(archive: Package): Promise<void> {
  await readXml(archive.read("META-INF/manifest.xml"), {
    open(name) {
      if (name === "encryption-data") throw new ExtractionError("locked");
    },
  });
}

function level(text: string | undefined): number {
  return Math.min(6, Math.max(1, Number(text) || 1));
}

function repeats(text: string | undefined): number {
  return Math.max(1, Number(text) || 1);
}
