import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { roles } from "./messages.ts";
import { printedInstant, queryNumber, textOf } from "./shapes.ts";

/** A name such as Europe/Berlin, which the platform knows. */
const timeZone = z.string().check(z.refine(isTimeZone, "must be an IANA time zone such as Europe/Berlin"));

export const searchQuery = z.object({
  /**
   * Words, all of which must be there; `"words in a row"`; `-without`; `in:` words of a thread's title, or its id;
   * `before:` and `after:` a day, month or year; `archived:yes` or `no`. The last word may be unfinished.
   */
  q: textOf(1, limits.searchCharacters),
  /** Only titles, or only messages. */
  kind: z.optional(z.enum(["title", "message"], "must be title or message")),
  limit: z.optional(queryNumber(1, limits.searchPageMax)),
  /** What the page before gave as `next`. */
  after: z.optional(queryNumber(0, Number.MAX_SAFE_INTEGER)),
  /** Where days begin; UTC where it is absent. */
  time_zone: z.optional(timeZone),
});

/** A piece of what was found, in the order of reading; `hit` marks what was looked for. */
export const searchExcerpt = z.array(z.object({ text: z.string(), hit: z.boolean() }));
export type SearchExcerpt = z.infer<typeof searchExcerpt>;

export const searchHit = z.object({
  thread_id: z.string(),
  /** Null where the thread's title was found. */
  message_id: z.nullable(z.string()),
  role: z.nullable(z.enum(roles)),
  title: z.nullable(z.string()),
  is_archived: z.boolean(),
  /** Of the message, or the title itself. */
  excerpt: searchExcerpt,
  created_at: printedInstant,
});
export type SearchHit = z.infer<typeof searchHit>;

export const searchFound = z.object({
  /** The newest first. */
  hits: z.array(searchHit),
  /** What to give as `after` for the next page; null on the last. */
  next: z.nullable(z.string()),
  /** Filters that could not be understood and were left out, as they were typed. */
  ignored: z.array(z.string()),
});
export type SearchFound = z.infer<typeof searchFound>;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
