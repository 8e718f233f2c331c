import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { roles } from "./messages.ts";
import { anyId, described, knownTimeZone, queryNumber, textOf, timestamp } from "./fields.ts";
import { endpoints } from "./endpoints.ts";

export const searchQuery = z.object({
  q: described(
    textOf(1, limits.searchCharacters),
    'Words that must all match; "exact phrases"; -excluded; in: words of a thread\'s title, the name of its folder, or its id; tag: and -tag: the name of a tag; before: and after: a day, month or year; archived:yes or no; has:file, for matches in files only. With filters and no words, everything that passes the filters is listed. The last word may be incomplete.',
  ),
  kind: described(
    z.optional(z.enum(["title", "message", "file"], "must be title, message or file")),
    "Only titles, only messages, or only attached files.",
  ),
  limit: described(
    z.optional(queryNumber(1, limits.searchPageMax)),
    `Page size. Default: ${limits.searchPage}.`,
  ),
  after: described(z.optional(queryNumber(0, Number.MAX_SAFE_INTEGER)), "The `next` of the previous page."),
  thread_id: described(z.optional(anyId), "Only in this thread."),
  time_zone: described(
    z.optional(knownTimeZone),
    "The time zone for before: and after:, such as Europe/Berlin. Default: UTC.",
  ),
});

/** Text in reading order, split so that `hit` marks the matches. */
export const searchExcerpt = z.array(z.object({ text: z.string(), hit: z.boolean() }));
export type SearchExcerpt = z.infer<typeof searchExcerpt>;

const sharedBy = described(
  z.nullable(z.object({ name: z.nullable(z.string()) })),
  "Who shares the thread with you; null for your own. Only in the web app are others' threads found.",
);

const searchFile = z.object({
  id: z.string(),
  name: z.string(),
  /** Media type, detected from the bytes; null until they are uploaded. */
  type: z.nullable(z.string()),
  marked_name: described(searchExcerpt, "The name; hit marks the matches."),
  page: described(z.nullable(z.number()), "The page of the excerpt, from 1; null for files without pages."),
});

export const searchHit = z.object({
  thread_id: z.string(),
  message_id: described(
    z.nullable(z.string()),
    "The message, or the newest message with the file. Null if the title matched.",
  ),
  role: z.nullable(z.enum(roles)),
  file: described(
    z.nullable(searchFile),
    "The attached file whose name or text matched; null for titles and messages.",
  ),
  title: z.nullable(z.string()),
  is_archived: z.boolean(),
  shared_by: sharedBy,
  excerpt: described(
    searchExcerpt,
    "An excerpt of the message, title or file text in reading order; hit marks the matches. Empty for a file without text.",
  ),
  created_at: described(
    timestamp,
    "When the message was sent, the file was attached or, for a title, the thread was created. Hits are sorted by it, and before: and after: compare with it.",
  ),
});
export type SearchHit = z.infer<typeof searchHit>;

export const searchResponse = z.object({
  /** Newest first. */
  hits: z.array(searchHit),
  next: described(z.nullable(z.string()), "The `after` of the next page; null on the last page."),
  ignored: described(z.array(z.string()), "Invalid filters, which were ignored, as they were typed."),
});
export type SearchResponse = z.infer<typeof searchResponse>;

export const searchThread = z.object({
  thread_id: z.string(),
  title: z.nullable(z.string()),
  marked_title: described(
    searchExcerpt,
    "The title; hit marks the matches. Empty for a thread without a title.",
  ),
  is_archived: z.boolean(),
  shared_by: sharedBy,
  tags: described(
    z.array(z.string()),
    "The names of your tags of the thread. Empty for files and for threads of others.",
  ),
  file: described(
    z.nullable(searchHit),
    "The attached file that matched. Null for a result that is a thread.",
  ),
  hits: described(
    z.array(searchHit),
    `The newest messages of the thread that match, at most ${limits.searchHitsPerThread}. Empty if only the title matched, and for a file.`,
  ),
  matches: described(z.number(), "How many messages of the thread match."),
  created_at: described(timestamp, "The created_at of the newest match. Results are sorted by it."),
});
export type SearchThread = z.infer<typeof searchThread>;

export const searchThreadsResponse = z.object({
  /** Newest first. */
  results: z.array(searchThread),
  next: searchResponse.shape.next,
  ignored: searchResponse.shape.ignored,
});
export type SearchThreadsResponse = z.infer<typeof searchThreadsResponse>;

export const searchEndpoints = endpoints("visitor", {
  "search.find": {
    request: "GET /v1/search",
    summary: "Search titles, messages and attached files",
    description: `Searches titles, the messages of all branches, and the names and extracted text of attached files, newest first. In the web app, also of threads that others share with you (the newest ${limits.sharedThreads}, none of them archived). Pass \`next\` as \`after\` to get the next page; it is null on the last page. Invalid filters are ignored and listed in \`ignored\`.`,
    query: searchQuery,
    response: searchResponse,
    example: { query: { q: "garden", limit: "20" } },
  },
  "search.threads": {
    request: "GET /v1/search/threads",
    summary: "Search titles, messages and attached files, by thread",
    description:
      "The same search with one result for each thread whose title or messages match, and one for each attached file that matches. To list all matches of a thread, pass its id as `thread_id` to `GET /v1/search`. Pass `next` as `after` to get the next page; no thread is on two pages.",
    query: searchQuery,
    response: searchThreadsResponse,
    example: { query: { q: "garden", limit: "20" } },
  },
});
