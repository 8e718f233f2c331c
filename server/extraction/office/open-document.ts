import type { Package } from "./package.ts";
import { FaultError } from "./fault.ts";
import { setCell } from "./sheets.ts";
import type { Words } from "./words.ts";
import { readXml } from "./xml.ts";

/** How often a value is written that a sheet says to repeat: it may say a million. */
const repeatsMax = 100;

/** A text, a spreadsheet or a presentation of OpenDocument (`.odt`, `.ods`, `.odp`). */
export async function readOpenDocument(archive: Package, words: Words): Promise<void> {
  await refuseLocked(archive);
  let row: string[] | undefined;
  let cell: { repeats: number; text: string } | undefined;
  let column = 0;
  let rowRepeats = 1;
  let slides = 0;
  let inText = 0;
  let skipped = 0;
  const say = (text: string) => {
    if (cell === undefined) words.add(text);
    else cell.text += text;
  };
  await readXml(archive.read("content.xml"), {
    open(name, attributes) {
      // What was deleted and is only remembered, and notes on the margin.
      if (name === "tracked-changes" || name === "annotation" || skipped > 0) skipped++;
      if (skipped > 0) return;
      if (name === "p" || name === "h") inText++;
      if (name === "h") say(`${"#".repeat(level(attributes.get("outline-level")))} `);
      else if (name === "list-item") say("- ");
      else if (name === "tab") say("\t");
      else if (name === "line-break") say("\n");
      else if (name === "s") say(" ".repeat(Math.min(repeatsMax, Number(attributes.get("c") ?? 1) || 1)));
      else if (name === "page") words.add(`\n--- slide ${++slides} ---\n`);
      else if (name === "table") words.add(`\n--- table ${attributes.get("name") ?? ""} ---\n`);
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
        say(cell === undefined ? "\n" : " ");
      } else if (name === "table-cell" || name === "covered-table-cell") {
        const text = cell?.text.trim() ?? "";
        const times = cell?.repeats ?? 1;
        if (text !== "")
          for (let n = 0; n < Math.min(times, repeatsMax); n++) setCell((row ??= []), column + n, text);
        column += times;
        cell = undefined;
      } else if (name === "table-row") {
        if (row !== undefined && row.length > 0)
          for (let n = 0; n < Math.min(rowRepeats, repeatsMax); n++) words.add(`${row.join(",")}\n`);
        row = undefined;
      }
    },
    text(text) {
      // Between the elements stands only how the file is laid out.
      if (inText > 0 && skipped === 0) say(text.replace(/\s+/g, " "));
    },
  });
}

async function refuseLocked(archive: Package): Promise<void> {
  await readXml(archive.read("META-INF/manifest.xml"), {
    open(name) {
      if (name === "encryption-data") throw new FaultError("locked");
    },
  });
}

function level(text: string | undefined): number {
  return Math.min(6, Math.max(1, Number(text) || 1));
}

function repeats(text: string | undefined): number {
  return Math.max(1, Number(text) || 1);
}
