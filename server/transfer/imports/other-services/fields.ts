/** Reads fields of exports of other services, whose formats may change. A field of another type is empty. */

export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Parses a time; `undefined` outside 1970 to 2100. */
export function timeOf(value: unknown, unitMs: number): number | undefined {
  const ms =
    typeof value === "number" ? value * unitMs : typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) && ms > 0 && ms < 4_102_444_800_000 ? Math.floor(ms) : undefined;
}
