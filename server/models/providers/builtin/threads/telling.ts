import { plainMarkdown } from "../quote.ts";

/** What tells of threads in any language. */

/** A moment as it is told where the person is; nothing for one that nobody knows. */
export function printed(
  ms: number,
  how: Intl.DateTimeFormatOptions,
  timeZone: string,
  language: string,
): string {
  return Number.isFinite(ms) ? new Intl.DateTimeFormat(language, { ...how, timeZone }).format(ms) : "";
}

export function titleOf(title: string, untitled: string): string {
  return title === "" ? untitled : plainMarkdown(shortened(title, 80));
}

export function itemOf(
  { number, title, beginsWith }: { number: number; title: string; beginsWith: string },
  untitled: string,
): string {
  const begins = shortened(beginsWith, 120);
  const words = sameWords(title, begins) || begins === "" ? "" : `: ${plainMarkdown(begins)}`;
  return `- **[${number}] ${titleOf(title, untitled)}**${words}`;
}

/** Less than this of what was asked about, and it may be about something else. */
export const sureFit = 0.6;

/** Until a better one comes, a thread's title is how it begins. */
export function sameWords(title: string, begins: string): boolean {
  const bare = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
  return bare(title) !== "" && bare(begins).startsWith(bare(title));
}

function shortened(text: string, characters: number): string {
  const flat = text.replace(/\s+/g, " ").trim();
  if (flat.length <= characters) return flat;
  return `${flat.slice(0, characters).replace(/\s\S*$|[\uD800-\uDBFF]$/, "")} …`;
}
