import TurndownService from "turndown";
import { isJsonObject } from "#contract/json.ts";
import { chatSource, type ForeignMessage } from "../other-services/chat-source.ts";
import { listOf, objectOf, textOf, timeOf } from "../other-services/fields.ts";
import type { ExportFiles } from "../other-services/files-of-export.ts";
import type { ConvertedPart } from "../other-services/converted-messages.ts";
import type { Importer, JsonFile } from "../importer.ts";

type Fields = Record<string, unknown>;

/** The activity has no chats: prompts with less than this between them are one. */
const silenceMs = 30 * 60_000;
/** Prompts of a chat, so that one fits into memory. */
const promptsMax = 500;
/** Converting a longer page would hold up other work. */
const htmlCharacters = 256 * 1024;

/**
 * Google Takeout's *My Activity* of Gemini, as JSON: a record for each prompt, the newest first, with the answer as HTML.
 */
export const gemini: Importer = {
  kind: "gemini",
  files: /^(?:.*\/)?(?:My ?Activity|MyActivity)[^/]*\.json$/,
  recognizes: (value): value is Fields =>
    isJsonObject(value) && (Array.isArray(value.records) || (isRecord(value) && isOfGemini(value))),
  gather: chatsOf,
  thread: ({ records }, files) =>
    chatSource({ kind: "gemini", name: "Gemini" }, () => {
      const list = listOf(records).map(objectOf);
      return {
        id: list[0]?.time,
        title: null,
        createdAtMs: timeOf(list[0]?.time, 1),
        updatedAtMs: timeOf(list.at(-1)?.time, 1),
        messages: list.flatMap((record, index) => messagesOf(record, { files, isFirst: index === 0 })),
      };
    }),
};

function isRecord({ time, title }: Fields): boolean {
  return typeof time === "string" && typeof title === "string";
}

/** Gemini was Bard. The product's name has these words in every language. */
function isOfGemini({ header, products }: Fields): boolean {
  return [header, ...listOf(products)].some((name) => /gemini|bard/i.test(textOf(name)));
}

/** Records sorted by time, as one chat until there is a silence. */
async function* chatsOf({ items, openSpool }: JsonFile): AsyncGenerator<{ records: Fields[] }> {
  const spool = await openSpool();
  for await (const item of items([])) {
    const record = objectOf("element" in item ? item.element : undefined);
    if (isRecord(record) && isOfGemini(record) && promptOf(record) !== undefined)
      spool.put("records", "all", timeOf(record.time, 1) ?? 0, record);
  }
  let records: Fields[] = [];
  for (const value of spool.values("records", "all")) {
    const record = objectOf(value);
    const silence = (timeOf(record.time, 1) ?? 0) - (timeOf(records.at(-1)?.time, 1) ?? 0);
    if (records.length > 0 && (silence > silenceMs || records.length === promptsMax)) {
      yield { records };
      records = [];
    }
    records.push(record);
  }
  if (records.length > 0) yield { records };
}

const asked = /^(?:Prompted with:|Prompted|Asked Gemini:|Asked Bard:|Asked|Said|Live Prompt)\s+/;
const otherwise = /^(?:Created|Used|Gave feedback|Selected|Shared|Deleted|Viewed|Visited|Canceled|Changed)\b/;

/** What the person asked; `undefined` for a record of something else. */
function promptOf(record: Fields): string | undefined {
  const title = textOf(record.title).replace(/\s*Attached \d+ files?\.?\s*$/, "");
  if (asked.test(title)) return title.replace(asked, "");
  // In another language the verb is unknown, but what was asked has an answer.
  return otherwise.test(title) || answersOf(record).length === 0 ? undefined : title;
}

function answersOf({ safeHtmlItem: pages }: Fields): string[] {
  return listOf(pages).flatMap((page) => {
    const html = textOf(objectOf(page).html);
    return html === "" ? [] : [html];
  });
}

function messagesOf(
  record: Fields,
  { files, isFirst }: { files: ExportFiles; isFirst: boolean },
): ForeignMessage[] {
  const time = textOf(record.time);
  const atMs = timeOf(time, 1);
  const attached = [...listOf(record.attachedFiles), record.imageFile, ...listOf(record.audioFiles)].map(
    textOf,
  );
  const question: ConvertedPart[] = [{ type: "text", text: promptOf(record) ?? "" }];
  for (const name of attached)
    if (name !== "")
      question.push({
        type: "file-place",
        file: files.find("", name),
        name,
        isImage: /\.(?:png|jpe?g|webp|gif)$/i.test(name),
      });
  const html = answersOf(record).map(markdownOf).join("\n\n");
  // Records of 2023 have the answer as a subtitle.
  const text = html === "" ? textOf(objectOf(listOf(record.subtitles)[0]).name) : html;
  return [
    { id: `${time}-question`, parentId: isFirst ? null : undefined, role: "user", parts: question, atMs },
    ...(text === ""
      ? []
      : [
          {
            id: `${time}-answer`,
            parentId: undefined,
            role: "assistant" as const,
            parts: [{ type: "text" as const, text }],
            atMs,
          },
        ]),
  ];
}

const turndown = new TurndownService({
  headingStyle: "atx",
  codeBlockStyle: "fenced",
  bulletListMarker: "-",
});
turndown.remove(["script", "style"]);

function markdownOf(html: string): string {
  const plain = () => html.replaceAll(/<[^<>]*>/g, " ").trim();
  if (html.length > htmlCharacters) return plain();
  try {
    return turndown.turndown(html);
  } catch {
    // Elements that nest too deep.
    return plain();
  }
}
