import type { Thread } from "#contract/threads.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { readStored } from "#contract/parts/stored.ts";
import type { MessageRow } from "#server/messages/rows.ts";
import { partMarkdown } from "./markdown-parts.ts";
import { inline } from "./markdown-text.ts";
import { words } from "./words.ts";

/** One branch of a thread as Markdown, piece by piece: for reading, and for any program that shows Markdown. */
export async function* threadMarkdown(
  thread: Thread,
  pages: AsyncIterable<MessageRow[]>,
  exportedAt: string,
  /** Where files lie beside it, by their ids. */
  places: ReadonlyMap<string, string> = new Map(),
): AsyncGenerator<string> {
  yield `# ${inline(thread.title ?? words.untitled)}\n\n${words.about(dayOf(thread.created_at), dayOf(exportedAt))}\n`;
  for await (const page of pages) yield page.map((row) => messageMarkdown(row, places)).join("");
}

function messageMarkdown(row: MessageRow, places: ReadonlyMap<string, string>): string {
  const inMarkdown = (part: Part) => partMarkdown(part, places);
  const stored = readStored(row.format, JSON.parse(row.content));
  const parts = [...stored.attached.flatMap((attached) => attached.parts), ...stored.parts];
  const sources = parts.filter((part) => part.type === "source").map(inMarkdown);
  const blocks = [
    ...parts.filter((part) => part.type !== "source").map(inMarkdown),
    ...(sources.length === 0
      ? []
      : [`${words.sources}:`, sources.map((line, index) => `${index + 1}. ${line}`).join("\n")]),
    ...statusOf(row),
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
