import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { roles } from "./messages.ts";
import { printedInstant, queryNumber, textOf } from "./fields.ts";
import type { Endpoints } from "../endpoint.ts";

/** A name such as Europe/Berlin, which the platform knows. */
const timeZone = z.string().check(z.refine(isTimeZone, "must be an IANA time zone such as Europe/Berlin"));

export const searchQuery = z.object({
  q: textOf(1, limits.searchCharacters).check(
    z.describe(
      'Words, all of which must be there; "words in a row"; -without; in: words of a thread\'s title, or its id; before: and after: a day, month or year; archived:yes or no; has:file, for what stands in files alone. Filters without words list all that they let through. The last word may be unfinished.',
    ),
  ),
  kind: z
    .optional(z.enum(["title", "message", "file"], "must be title, message or file"))
    .check(z.describe("Only titles, only messages, or only attached files.")),
  limit: z
    .optional(queryNumber(1, limits.searchPageMax))
    .check(z.describe(`How many; ${limits.searchPage} where it is not said.`)),
  after: z
    .optional(queryNumber(0, Number.MAX_SAFE_INTEGER))
    .check(z.describe("What the page before gave as next.")),
  time_zone: z
    .optional(timeZone)
    .check(z.describe("Where days begin, such as Europe/Berlin; UTC where it is not said.")),
});

/** A piece of what was found, in the order of reading; `hit` marks what was looked for. */
export const searchExcerpt = z.array(z.object({ text: z.string(), hit: z.boolean() }));
export type SearchExcerpt = z.infer<typeof searchExcerpt>;

const searchFile = z.object({
  id: z.string(),
  name: z.string(),
  /** What its bytes show; null until they are there. */
  type: z.nullable(z.string()),
  marked_name: searchExcerpt.check(z.describe("The name; hit marks what was looked for.")),
  page: z
    .nullable(z.number())
    .check(z.describe("Where the excerpt stands, counted from 1; null for what has no pages.")),
});

export const searchHit = z.object({
  thread_id: z.string(),
  message_id: z
    .nullable(z.string())
    .check(
      z.describe("The message, or the newest that has the file. Null where the thread's title was found."),
    ),
  role: z.nullable(z.enum(roles)),
  file: z
    .nullable(searchFile)
    .check(z.describe("The attached file whose name or text was found; null for titles and messages.")),
  title: z.nullable(z.string()),
  is_archived: z.boolean(),
  excerpt: searchExcerpt.check(
    z.describe(
      "Pieces of the message, of the title or of the file's text, in the order of reading; hit marks what was looked for. Empty for a file without text.",
    ),
  ),
  created_at: printedInstant.check(
    z.describe(
      "When the message was said, the file was attached or, for a title, the thread was begun: what before: and after: go by, and the order of the hits.",
    ),
  ),
});
export type SearchHit = z.infer<typeof searchHit>;

export const searchFound = z.object({
  /** The newest first. */
  hits: z.array(searchHit),
  next: z
    .nullable(z.string())
    .check(z.describe("What to give as after for the next page; null on the last.")),
  ignored: z
    .array(z.string())
    .check(z.describe("Filters that could not be understood and were left out, as they were typed.")),
});
export type SearchFound = z.infer<typeof searchFound>;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

export const searchEndpoints = {
  "search.find": {
    method: "GET",
    path: "/v1/search",
    caller: "visitor",
    summary: "Search titles, the messages of all branches and attached files",
    description:
      "Titles, messages of all branches and attached files of the caller's threads, newest first. A file is found by its name and by its text, as soon as that was read. Pass `next` as `after` for the next page; null is the end. Filters that cannot be understood are left out, and named in `ignored`.",
    query: searchQuery,
    kind: "json",
    status: 200,
    response: searchFound,
    example: { query: { q: "garden", limit: "20" } },
  },
} as const satisfies Endpoints;
