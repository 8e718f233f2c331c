/** Any JSON value. Content of clients is stored unchanged, so it has no narrower type. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deeper values could overflow the stack when they are parsed or printed. */
export const nestingMax = 500;

export function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((entry) => nestsDeeper(entry, levels - 1));
}

/** Deeper values are printed on one line: with indentation they can be a thousand times their size. */
const indentedMax = 20;

/** JSON for people to read. */
export function printJson(value: unknown): string {
  return JSON.stringify(value, undefined, nestsDeeper(value, indentedMax) ? undefined : 2);
}

/** Parses JSON. `undefined` if the text is not JSON or nests too deep. */
export function parseJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return nestsDeeper(value, nestingMax) ? undefined : value;
  } catch {
    return undefined;
  }
}
