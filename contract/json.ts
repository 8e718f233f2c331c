/** Any value JSON can carry. Content of clients is kept as it came, so it is typed no closer than this. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** No real JSON nests deeper. To parse and print deeper values would exhaust the stack. */
export const nestingMax = 500;

export function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((entry) => nestsDeeper(entry, levels - 1));
}

/** The value of a JSON text; `undefined` if it is no JSON, or nests too deep. */
export function parseJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return nestsDeeper(value, nestingMax) ? undefined : value;
  } catch {
    return undefined;
  }
}
