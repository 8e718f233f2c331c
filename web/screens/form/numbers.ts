export function numberText(value: number | undefined): string {
  return value === undefined ? "" : String(value);
}

/** Parses a number with a comma or a point. `NaN` if it is invalid. */
export function numberOf(text: string): number | undefined {
  const typed = text.trim().replace(",", ".");
  return typed === "" ? undefined : Number(typed);
}
