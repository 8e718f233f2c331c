import type { Thread } from "#contract/endpoints/threads.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { editedFrom, readStored } from "#contract/parts/stored.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import type { FilePlaces } from "#server/parts/kind.ts";
import { handlersOf } from "#server/parts/kinds.ts";
import { inline } from "#server/parts/markdown-text.ts";
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
  const inMarkdown = (part: Part) => handlersOf(part).markdown(part, places);
  const content: unknown = JSON.parse(row.content);
  const stored = readStored(row.format, content);
  const parts = [...stored.attached.flatMap((attached) => attached.parts), ...stored.parts];
  const sources = parts.filter((part) => part.type === "source").map(inMarkdown);
  const blocks = [
    ...parts.filter((part) => part.type !== "source").map(inMarkdown),
    ...(sources.length === 0
      ? []
      : [`${words.sources}:`, sources.map((line, index) => `${index + 1}. ${line}`).join("\n")]),
    ...statusOf(row),
    ...(editedFrom(content) === undefined ? [] : [`*${words.edited}*`]),
  ].filter((block) => block !== "");
  return `\n---\n\n## ${words.roles[row.role]}\n\n${blocks.map((block) => `${block}\n`).join("\n")}`;
}

function statusOf(row: MessageRow): string[] {
  if (row.status === "complete") return [];
  if (row.status !== "incomplete") return [`*${words.unfinished}*`];
  return [`*${words.incomplete[row.status_reason ?? ""] ?? words.incomplete.interrupted}*`];
}

function dayOf(instant: string): string {
  return instant.slice(0, 10);
}
