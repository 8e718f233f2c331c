import type { Thread } from "#contract/endpoints/threads.ts";
import { isJsonObject, type Json } from "#contract/json.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { editedFrom, readStored } from "#contract/parts/stored.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import { createYielder } from "#server/lib/concurrency/yield-to-event-loop.ts";
import type { FilePlaces } from "#server/parts/kind.ts";
import { handlersOf } from "#server/parts/kinds.ts";
import { closeBlocks, escapeTags, fenced, inline, quoted } from "#server/parts/markdown-text.ts";
import { words } from "./export-words.ts";

/** Streams one branch of a thread as Markdown. */
export async function* threadMarkdown(
  thread: Thread,
  pages: AsyncIterable<MessageRow[]>,
  exportedAt: string,
  places: FilePlaces = new Map(),
): AsyncGenerator<string> {
  yield `# ${inline(thread.title ?? words.untitled)}\n\n${words.about(dayOf(thread.created_at), dayOf(exportedAt))}\n`;
  const yieldNow = createYielder();
  for await (const page of pages)
    for (const row of page) {
      yield messageMarkdown(row, places);
      await yieldNow();
    }
}

function messageMarkdown(row: MessageRow, places: FilePlaces): string {
  const content: unknown = JSON.parse(row.content);
  const blocks = [
    ...contentBlocks(row.format, content, places),
    ...statusOf(row),
    ...(editedFrom(content) === undefined ? [] : [`*${words.edited}*`]),
  ];
  return `\n---\n\n## ${words.roles[row.role]}\n\n${blocks.map((block) => `${block}\n`).join("\n")}`;
}

/** `depth`: in how many tool calls the content is. */
function contentBlocks(format: string, content: unknown, places: FilePlaces, depth = 0): string[] {
  const nested = (messages: Json) => nestedMarkdown(messages, places, depth + 1);
  const inMarkdown = (part: Part) =>
    depth > 0 && part.type === "text"
      ? closeBlocks(escapeTags(part.text.trim()))
      : handlersOf(part).markdown(part, places, nested);
  const stored = readStored(format, content);
  const parts = [...stored.attached.flatMap((attached) => attached.parts), ...stored.parts];
  const sources = parts.filter((part) => part.type === "source").map(inMarkdown);
  return [
    ...parts.filter((part) => part.type !== "source").map(inMarkdown),
    ...(sources.length === 0
      ? []
      : [`${words.sources}:`, sources.map((line, index) => `${index + 1}. ${line}`).join("\n")]),
  ].filter((block) => block !== "");
}

/** Each quote copies all lines in it, so messages that are deeper are JSON. */
const quotesMax = 4;

/** The messages that another agent exchanged to answer a tool call, as quotes. */
function nestedMarkdown(messages: Json, places: FilePlaces, depth: number): string {
  if (depth > quotesMax) return fenced(JSON.stringify(messages), "json");
  const readable = Array.isArray(messages) ? messages.filter(isJsonObject) : [];
  return readable
    .map((message) => {
      const role = message["role"] === "user" || message["role"] === "system" ? message["role"] : "assistant";
      const blocks = [`**${words.nested[role]}**`, ...contentBlocks("aui/v0", message, places, depth)];
      return quoted(blocks.join("\n\n"));
    })
    .join("\n\n");
}

function statusOf(row: MessageRow): string[] {
  if (row.status === "complete") return [];
  if (row.status !== "incomplete") return [`*${words.unfinished}*`];
  return [`*${words.incomplete[row.status_reason ?? ""] ?? words.incomplete.interrupted}*`];
}

function dayOf(instant: string): string {
  return instant.slice(0, 10);
}
