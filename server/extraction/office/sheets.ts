import { isoTime } from "#server/lib/clock.ts";
import type { Package } from "./package.ts";
import { relationsOf } from "./relations.ts";
import type { TextBuffer } from "./text-buffer.ts";
import { readXml } from "./xml.ts";

/** Reads a workbook (`.xlsx`): each sheet as comma-separated values, formatted as on the screen, without empty rows. */
export async function readSheets(archive: Package, buffer: TextBuffer): Promise<void> {
  const part = "xl/workbook.xml";
  const relations = await relationsOf(archive, part);
  const sheets: { name: string; target: string }[] = [];
  let from1904 = false;
  await readXml(archive.read(part), {
    open(name, attributes) {
      if (name === "workbookPr") from1904 = /^(?:1|true)$/.test(attributes.get("date1904") ?? "");
      if (name !== "sheet") return;
      const sheet = relations.find(({ id }) => id === attributes.get("id"));
      if (sheet !== undefined) sheets.push({ name: attributes.get("name") ?? "", target: sheet.target });
    },
  });
  const strings = await sharedStrings(
    archive,
    relations.find(({ type }) => type === "sharedStrings")?.target,
  );
  const styles = relations.find(({ type }) => type === "styles");
  const format = await readStyles(archive, styles?.target, from1904);
  for (const { name, target } of sheets) {
    buffer.newLine();
    buffer.add(`\n--- sheet ${name} ---\n`);
    await readSheet(archive, target, { strings, format }, buffer);
  }
}

async function sharedStrings(archive: Package, part: string | undefined): Promise<string[]> {
  const strings: string[] = [];
  if (part === undefined) return strings;
  let inText = false;
  let phonetic = false;
  let current = "";
  await readXml(archive.read(part), {
    open(name) {
      if (name === "si") current = "";
      else if (name === "rPh") phonetic = true;
      else if (name === "t") inText = !phonetic;
    },
    close(name) {
      if (name === "si") strings.push(current);
      else if (name === "rPh") phonetic = false;
      else if (name === "t") inText = false;
    },
    text(text) {
      if (inText) current += text;
    },
  });
  return strings;
}

type Workbook = { strings: readonly string[]; format: (value: string, style: number) => string };

async function readSheet(
  archive: Package,
  part: string,
  workbook: Workbook,
  buffer: TextBuffer,
): Promise<void> {
  let row: string[] = [];
  let cell: { column: number; type: string; style: number } | undefined;
  let inValue = false;
  let value = "";
  await readXml(archive.read(part), {
    open(name, attributes) {
      if (name === "row") row = [];
      else if (name === "c") {
        cell = {
          column: columnOf(attributes.get("r")) ?? row.length,
          type: attributes.get("t") ?? "n",
          style: Number(attributes.get("s") ?? 0),
        };
        value = "";
      } else if (name === "v" || name === "t") inValue = cell !== undefined;
    },
    close(name) {
      if (name === "v" || name === "t") inValue = false;
      else if (name === "c" && cell !== undefined) {
        const text = textOf(value, cell, workbook);
        if (text !== "") setCell(row, cell.column, text);
        cell = undefined;
      } else if (name === "row" && row.length > 0) buffer.add(`${row.join(",")}\n`);
    },
    text(text) {
      if (inValue) value += text;
    },
  });
}

function textOf(
  value: string,
  { type, style }: { type: string; style: number },
  { strings, format }: Workbook,
): string {
  if (type === "s") return strings[Number(value)] ?? "";
  if (type === "b") return value === "1" ? "TRUE" : "FALSE";
  return type === "n" ? format(value, style) : value;
}

/** Excel's own limit. */
const columnsMax = 16_384;

/** Sets a cell of a row, as CSV, and fills missing cells before it. */
export function setCell(row: string[], column: number, text: string): void {
  if (column >= columnsMax) return;
  while (row.length < column) row.push("");
  row[column] = /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The index of a column: 1 for `B7`. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? "")?.[0];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** The ids of Excel's built-in formats for dates and times. */
const knownDates = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47]);

const dayMs = 86_400_000;

/**
 * Reads the cell styles of a workbook. Dates are stored as numbers of days since 1900 (or 1904), and only the cell's
 * style shows that a number is a date. Returns a function that formats a value by its style.
 */
async function readStyles(
  archive: Package,
  part: string | undefined,
  from1904: boolean,
): Promise<(value: string, style: number) => string> {
  const formats = new Map<number, string>();
  const styles: number[] = [];
  let inCells = false;
  if (part !== undefined)
    await readXml(archive.read(part), {
      open(name, attributes) {
        if (name === "numFmt")
          formats.set(Number(attributes.get("numFmtId")), attributes.get("formatCode") ?? "");
        else if (name === "cellXfs") inCells = true;
        else if (name === "xf" && inCells) styles.push(Number(attributes.get("numFmtId") ?? 0));
      },
      close(name) {
        if (name === "cellXfs") inCells = false;
      },
    });
  const isDate = (style: number): boolean => {
    const format = styles[style] ?? 0;
    return knownDates.has(format) || isDateFormat(formats.get(format) ?? "");
  };
  return (value, style) => (isDate(style) ? (dateOf(Number(value), from1904) ?? value) : value);
}

/** Whether a format has letters of a date outside quotes, escapes and brackets (colours and languages). */
function isDateFormat(code: string): boolean {
  return /[ymdhs]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]|General|Red/gi, ""));
}

function dateOf(serial: number, from1904: boolean): string | undefined {
  if (!Number.isFinite(serial) || serial < 0 || serial > 2_958_466) return undefined;
  const start = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  // Rounded to seconds, because a minute is not an exact fraction of a day.
  const text = isoTime(start + Math.round(serial * 86_400) * 1_000);
  if (serial < 1) return text.slice(11, 19);
  return Math.round(serial * dayMs) % dayMs === 0 ? text.slice(0, 10) : text.slice(0, 19).replace("T", " ");
}
