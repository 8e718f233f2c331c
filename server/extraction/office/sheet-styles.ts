import type { Package } from "./package.ts";
import { readXml } from "./xml.ts";

/** The ids of Excel's built-in formats for dates and times. */
const knownDates = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47]);

const dayMs = 86_400_000;

/**
 * Reads the cell styles of a workbook. Dates are stored as numbers of days since 1900 (or 1904), and only the cell's
 * style shows that a number is a date. Returns a function that formats a value by its style.
 */
export async function readStyles(
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
  const text = new Date(start + Math.round(serial * 86_400) * 1_000).toISOString();
  if (serial < 1) return text.slice(11, 19);
  return Math.round(serial * dayMs) % dayMs === 0 ? text.slice(0, 10) : text.slice(0, 19).replace("T", " ");
}
