import type { Thread } from "#contract/endpoints/threads.ts";
import { isJsonObject, type Json } from "#contract/json.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { editedFrom, readStored } from "#contract/parts/stored.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import type { FilePlaces } from "#server/parts/kind.ts";
import { handlersOf } from "#server/parts/kinds.ts";
import { escapeTags, inline, quoted } from "#server/parts/markdown-text.ts";
import { words } from "./words.ts";

/** Streams one branch of a thread as Markdown. */
export async function* threadMarkdown(
  thread: Thread,
  pages: AsyncIterable<MessageRow[]>,
  exportedAt: string,
  places: FilePlaces = new Map(),
): AsyncGenerator<string> {
  yield `# ${inline(thread.title ?? words.untitled)}\n\n${words.about(dayOf(thread.created_at), dayOf(exportedAt))}\n`;
  for await (const page of pages) yield page.map((row) => messageMarkdown(row, places)).join("");
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

function contentBlocks(format: string, content: unknown, places: FilePlaces, isNested = false): string[] {
  const nested = (messages: Json) => nestedMarkdown(messages, places);
  const inMarkdown = (part: Part) => {
    const text = handlersOf(part).markdown(part, places, nested);
    return isNested && part.type === "text" ? escapeTags(text) : text;
  };
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

/** The messages that another agent exchanged to answer a tool call, as quotes. */
function nestedMarkdown(messages: Json, places: FilePlaces): string {
  const readable = Array.isArray(messages) ? messages.filter(isJsonObject) : [];
  return readable
    .map((message) => {
      const role = message["role"] === "user" || message["role"] === "system" ? message["role"] : "assistant";
      const blocks = [`**${words.nested[role]}**`, ...contentBlocks("aui/v0", message, places, true)];
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
