import * as z from "zod/mini";
import type { Json } from "#contract/json.ts";
import { threadLinkUrl } from "#contract/thread-links.ts";
import type { Language, Phrases } from "./language.ts";
import { plainMarkdown, quotation } from "./plain-markdown.ts";

export type Source = { url: string; title: string };

const passages = z.object({
  passages: z.array(
    z.object({
      source: z.number(),
      thread: z.nullable(z.string()),
      file: z.optional(z.string()),
      page: z.optional(z.number()),
      said_by: z.string(),
      said_at: z.string(),
      text: z.string(),
      fit: z.number(),
    }),
  ),
});
type Passage = z.infer<typeof passages>["passages"][number];

const threads = z.object({
  threads: z.array(
    z.object({
      thread_id: z.string(),
      title: z.nullable(z.string()),
      last_message_at: z.string(),
      begins_with: z.string(),
    }),
  ),
});

/** Below this fit a passage may be about something else. */
const sureFit = 0.6;

/** Quotes the passages that `search_threads` found, with their source numbers; `undefined` if it found none. */
export function formatPassages(result: Json, language: Language, timeZone: string): string | undefined {
  const found = passages.safeParse(result).data?.passages ?? [];
  if (found.length === 0) return undefined;
  const { phrases } = language;
  const isSure = found.some(({ fit }) => fit >= sureFit);
  const day = dayFormat(language, timeZone);
  const quotes = found.map(
    (passage) =>
      `${quotation(passage.text)}\n>\n> **[${passage.source}]** ${originOf(passage, phrases)}, ${day(passage.said_at)}`,
  );
  return [isSure ? phrases.found : phrases.foundInPart, ...quotes].join("\n\n");
}

/** Lists the threads that `list_threads` returned, each with a source number. */
export function formatThreads(
  result: Json,
  language: Language,
  timeZone: string,
): { text: string; sources: Source[] } {
  const { phrases } = language;
  const listed = threads.safeParse(result).data?.threads ?? [];
  if (listed.length === 0) return { text: phrases.noThreads, sources: [] };
  const day = dayFormat(language, timeZone);
  const items = listed.map(({ title, begins_with: begins, last_message_at: at }, index) => {
    const name = titleOf(title, phrases);
    const excerpt = begins === "" || isBeginning(title, begins) ? "" : `: ${plainMarkdown(begins)}`;
    return `- **[${index + 1}] ${name}**${excerpt} (${day(at)})`;
  });
  return {
    text: `${phrases.recent}\n\n${items.join("\n")}`,
    sources: listed.map(({ thread_id: threadId, title }) => ({
      url: threadLinkUrl({ threadId }),
      title: title ?? phrases.untitled,
    })),
  };
}

function originOf({ file, page, thread, said_by: by, text }: Passage, phrases: Phrases): string {
  const author = by === "person" ? phrases.you : phrases.assistant;
  const name =
    file === undefined
      ? author
      : `*${plainMarkdown(file)}*${page === undefined ? "" : `, ${phrases.page(page)}`}`;
  return isBeginning(thread, text) ? name : `${name} ${phrases.inThread(`*${titleOf(thread, phrases)}*`)}`;
}

/** A default title is the beginning of the first message, which is then not repeated. */
function isBeginning(title: string | null, text: string): boolean {
  return title !== null && title !== "" && text.replace(/\s+/g, " ").trim().startsWith(title);
}

function titleOf(title: string | null, { untitled }: Phrases): string {
  return title === null || title === "" ? untitled : plainMarkdown(title);
}

function dayFormat({ locale }: Language, timeZone: string): (iso: string) => string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone });
  return (iso) => (Number.isNaN(Date.parse(iso)) ? "" : format.format(Date.parse(iso)));
}
