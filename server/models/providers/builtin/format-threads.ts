import * as z from "zod/mini";
import type { Json } from "#contract/json.ts";
import { threadLinkUrl } from "#contract/thread-links.ts";
import type { Language } from "./language.ts";

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
    }),
  ),
});

const threads = z.object({
  threads: z.array(
    z.object({ thread_id: z.string(), title: z.nullable(z.string()), last_message_at: z.string() }),
  ),
});

/** Quotes the passages that `search_threads` found, with their source numbers; `undefined` if it found none. */
export function formatPassages(result: Json, language: Language, timeZone: string): string | undefined {
  const found = passages.safeParse(result).data?.passages ?? [];
  if (found.length === 0) return undefined;
  const { phrases } = language;
  const day = dayFormat(language, timeZone);
  const quotes = found.map(({ source, thread, file, page, said_by: by, said_at: at, text }) => {
    const author = by === "person" ? phrases.you : phrases.assistant;
    const name = file === undefined ? author : `*${plainMarkdown(file)}*`;
    const place = page === undefined ? name : `${name}, ${phrases.page(page)}`;
    // A title that is the beginning of the message is not repeated.
    const isBeginning =
      thread !== null &&
      text
        .replace(/\s+/g, " ")
        .trim()
        .startsWith(thread || " ");
    const title = isBeginning ? "" : ` ${phrases.inThread(`*${plainMarkdown(thread || phrases.untitled)}*`)}`;
    return `${quotation(text)}\n>\n> **[${source}]** ${place}${title}, ${day(at)}`;
  });
  return [phrases.found, ...quotes].join("\n\n");
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
  const named = listed.map((thread) => ({ ...thread, title: thread.title || phrases.untitled }));
  const items = named.map(
    ({ title, last_message_at: at }, index) => `- **[${index + 1}] ${plainMarkdown(title)}** (${day(at)})`,
  );
  return {
    text: `${phrases.recent}\n\n${items.join("\n")}`,
    sources: named.map(({ thread_id: threadId, title }) => ({ url: threadLinkUrl({ threadId }), title })),
  };
}

function dayFormat({ locale }: Language, timeZone: string): (iso: string) => string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone });
  return (iso) => (Number.isNaN(Date.parse(iso)) ? "" : format.format(Date.parse(iso)));
}

/** URLs and email addresses. They become code, so that quoted text contains no links. */
const urlPattern = /(?:[a-z][a-z0-9+.-]*:\/\/|www\.|mailto:)[^\s`]+|[^\s@`]+@[^\s@`]+\.[^\s@`]+/giu;

/** Escapes text for Markdown: links, pictures, headings and formulas in it have no effect. */
function plainMarkdown(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  let safe = "";
  let end = 0;
  for (const found of flat.matchAll(urlPattern)) {
    safe += escaped(flat.slice(end, found.index)) + `\`${found[0]}\``;
    end = found.index + found[0].length;
  }
  safe += escaped(flat.slice(end));
  // The start of a heading or a list.
  return safe.replace(/^[-+=#]/, String.raw`\$&`).replace(/^(\d+)(?=[.)])/, "$1\\");
}

/** A Markdown block quote without blank lines, and without the markup of headings, lists and emphasis. */
function quotation(text: string): string {
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+|```\S*\s*$)/, "").replace(/\*\*|__/g, ""))
    .filter((line) => line.trim() !== "");
  return lines.map((line) => `> ${plainMarkdown(line)}`).join("\\\n");
}

/** A bracket becomes a character reference, because `\[` starts a formula. */
function escaped(text: string): string {
  return text.replace(/[\\`*_\]<>|~$]|&(?=#?\w+;)/g, String.raw`\$&`).replaceAll("[", "&#91;");
}
