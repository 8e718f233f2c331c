import { Temporal } from "temporal-polyfill";

/**
 * The start of a day, a month or a year in the person's time zone, in milliseconds since 1970: `2026-01-31`, `2026-01`,
 * `2026`. `undefined` for anything else.
 */
export function periodStart(text: string, timeZone: string): number | undefined {
  const match = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(text);
  if (match === null) return undefined;
  const [, year, month = "1", day = "1"] = match;
  try {
    return Temporal.PlainDate.from(
      { year: Number(year), month: Number(month), day: Number(day) },
      { overflow: "reject" },
    ).toZonedDateTime(timeZone).epochMilliseconds;
  } catch {
    return undefined;
  }
}
