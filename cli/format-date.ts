import { InvalidArgumentError } from "commander";

const unitMs: Record<string, number> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };
/** 100 years: a larger number is a typing error. */
const furthestMs = 100 * 365 * 86_400_000;

/**
 * Parses a time in the future: `12h`, `90d` or `8w` from now, a day (`2027-01-31`, meaning its end in UTC), or an ISO time.
 * Returns milliseconds since 1970. Throws `InvalidArgumentError`.
 */
export function parseFutureTime(text: string, nowMs: number): number {
  const atMs = read(text.trim(), nowMs);
  if (Number.isNaN(atMs))
    throw new InvalidArgumentError(
      "Write a time from now such as 90d, 12h or 8w, or a day such as 2027-01-31.",
    );
  if (atMs <= nowMs) throw new InvalidArgumentError("It must be in the future.");
  if (atMs > nowMs + furthestMs) throw new InvalidArgumentError("It must be within 100 years.");
  return atMs;
}

/** Formats a time for people: to the minute, in UTC. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function read(text: string, nowMs: number): number {
  const [, count, unit] = /^(\d{1,6})([hdw])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return nowMs + Number(count) * (unitMs[unit] ?? Number.NaN);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return dayOf(text) + 86_400_000 - 1;
  if (/^\d{4}-\d\d-\d\dT.+(Z|[+-]\d\d:\d\d)$/.test(text)) return Date.parse(text);
  return Number.NaN;
}

/** `Date` accepts 30 February as a day in March. */
function dayOf(text: string): number {
  const ms = Date.parse(`${text}T00:00:00.000Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text) ? ms : Number.NaN;
}
