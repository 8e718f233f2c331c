import Papa from "papaparse";

/** A table as it stands in a file: the names of its columns, and its rows below them. */
export type Table = { name: string | undefined; columns: string[]; rows: string[][] };

const rowsMax = 100_000;

/** The tables of a text: one of a CSV file, one for each sheet of a workbook. */
export function tablesOf(text: string): Table[] {
  const pieces = text.split(/^--- (?:sheet|table) (.*) ---$/m);
  if (pieces.length === 1) return tableOf(undefined, text);
  return pieces.flatMap((piece, at) => (at % 2 === 1 ? tableOf(piece, pieces[at + 1] ?? "") : []));
}

function tableOf(name: string | undefined, text: string): Table[] {
  const { data } = Papa.parse<string[]>(text.trim(), { skipEmptyLines: "greedy", preview: rowsMax });
  const [columns, ...rows] = data;
  return columns === undefined || columns.length === 0
    ? []
    : [{ name, columns: columns.map((column) => column.trim()), rows }];
}

/** The numbers of a column, exact, and how many of its rows have none. */
export function numbersOf({ rows }: Table, column: number): { values: Decimal[]; without: number } {
  const values = rows.flatMap((row) => decimalOf(row[column] ?? "") ?? []);
  return { values, without: rows.length - values.length };
}

/** A number as it was written: `units` of a tenth, a hundredth … by `places`. */
export type Decimal = { units: bigint; places: number };

/** `1,234.50`, `1.234,50`, `€ 12`, `12 %`: whatever of the two marks comes last is the decimal one. */
export function decimalOf(written: string): Decimal | undefined {
  const bare = written.replace(/[\s\u00a0'’_]|[€$£¥%]|\b(?:EUR|USD|CHF|GBP)\b/g, "");
  if (!/^[-+]?[\d.,]*\d$/.test(bare)) return undefined;
  const comma = bare.lastIndexOf(",");
  const dot = bare.lastIndexOf(".");
  const at = isGrouped(bare, comma, dot) ? -1 : Math.max(comma, dot);
  const digits = bare.replace(/[.,]/g, "");
  return { units: BigInt(digits.replace("+", "")), places: at === -1 ? 0 : bare.length - at - 1 };
}

/** Whether the only marks are those between thousands: `1,234`, `1.234.567`. One dot alone is a decimal one. */
function isGrouped(bare: string, comma: number, dot: number): boolean {
  if (comma !== -1 && dot !== -1) return false;
  return /^[-+]?\d{1,3}(?:,\d{3})+$/.test(bare) || /^[-+]?\d{1,3}(?:\.\d{3}){2,}$/.test(bare);
}

export function sumOf(values: readonly Decimal[]): Decimal {
  const places = values.reduce((most, value) => Math.max(most, value.places), 0);
  return { units: values.reduce((sum, value) => sum + scaled(value, places), 0n), places };
}

export function compare(a: Decimal, b: Decimal): number {
  const places = Math.max(a.places, b.places);
  const difference = scaled(a, places) - scaled(b, places);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function writeDecimal({ units, places }: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  return `${units < 0n ? "-" : ""}${whole}${places === 0 ? "" : `.${digits.slice(-places)}`}`;
}

function scaled({ units, places }: Decimal, to: number): bigint {
  return units * 10n ** BigInt(to - places);
}
