import { isJsonObject, type Json } from "#contract/json.ts";
import { chatSource, type ForeignMessage } from "../other-services/chat-source.ts";
import {
  setResult,
  toolCall,
  webSource,
  type ConvertedPart,
  type Skipped,
} from "../other-services/converted-messages.ts";
import { listOf, objectOf, textOf, timeOf } from "../other-services/fields.ts";
import type { ExportFiles } from "../other-services/files-of-export.ts";
import { addAnswerText } from "../other-services/text-markup.ts";
import { wholeFile, type Importer } from "../importer.ts";

type Fields = Record<string, unknown>;

/** Mistral's Le Chat: a file for each chat, which is a list of messages in any order. */
export const leChat: Importer = {
  kind: "le-chat",
  files: /^(?:.*\/)?chat-[0-9a-f-]{36}\.json$/i,
  recognizes: (value): value is Fields =>
    isJsonObject(value) && (Array.isArray(value.elements) ? isMessage(value.elements[0]) : isMessage(value)),
  gather: wholeFile,
  thread: (file, files) =>
    chatSource({ kind: "le-chat", name: "Le Chat" }, (skipped) => {
      const list = listOf(file.elements)
        .map(objectOf)
        .toSorted((a, b) => (timeOf(a.createdAt, 1) ?? 0) - (timeOf(b.createdAt, 1) ?? 0));
      return {
        id: list.find(({ chatId }) => textOf(chatId) !== "")?.chatId,
        title: null,
        createdAtMs: timeOf(list[0]?.createdAt, 1),
        updatedAtMs: timeOf(list.at(-1)?.createdAt, 1),
        messages: inBranches(list).map(({ message, parentId }, index) =>
          messageOf(message, { id: textOf(message.id) || `${index + 1}`, parentId, files, skipped }),
        ),
      };
    }),
};

function isMessage(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    typeof value.chatId === "string" &&
    typeof value.role === "string" &&
    "contentChunks" in value
  );
}

/** A straight line, apart from an answer after an answer: that is another answer to the same question. */
function inBranches(list: readonly Fields[]): { message: Fields; parentId: string | null }[] {
  const placed: { message: Fields; parentId: string | null }[] = [];
  for (const message of list) {
    const last = placed.at(-1);
    const isRetry = last !== undefined && message.role === "assistant" && last.message.role === "assistant";
    placed.push({
      message,
      parentId: last === undefined ? null : isRetry ? last.parentId : textOf(last.message.id),
    });
  }
  return placed;
}

function messageOf(
  message: Fields,
  {
    id,
    parentId,
    files,
    skipped,
  }: { id: string; parentId: string | null; files: ExportFiles; skipped: Skipped },
): ForeignMessage {
  const role = message.role === "assistant" ? "assistant" : "user";
  const parts: ConvertedPart[] = [];
  const chunks = listOf(message.contentChunks).map(objectOf);
  for (const [index, chunk] of chunks.entries())
    addChunk(parts, chunk, { id: `${id}-${index + 1}`, files, skipped });
  if (chunks.length === 0 && role === "assistant") addAnswerText(parts, textOf(message.content), id);
  else if (chunks.length === 0 && textOf(message.content) !== "")
    parts.push({ type: "text", text: textOf(message.content) });
  for (const { name, type } of listOf(message.files).map(objectOf)) {
    const named = textOf(name);
    parts.push({
      type: "file-place",
      file: files.find(named, named),
      name: named || undefined,
      isImage: type === "image",
    });
  }
  for (const canvas of listOf(message.canvas).map(objectOf)) {
    const content = textOf(canvas.content);
    if (content === "") skipped.add("unknown", "canvas");
    else
      parts.push({
        type: "document",
        document: {
          id: textOf(canvas.id) || id,
          title: textOf(canvas.title),
          language: textOf(canvas.language),
          content,
        },
      });
  }
  const { reaction } = message;
  return {
    id,
    parentId,
    role,
    parts,
    atMs: timeOf(message.createdAt, 1),
    model: textOf(message.model),
    rating:
      reaction === "like" || reaction === "positive"
        ? "good"
        : reaction === "dislike" || reaction === "negative"
          ? "bad"
          : undefined,
  };
}

function addChunk(
  parts: ConvertedPart[],
  chunk: Fields,
  { id, files, skipped }: { id: string; files: ExportFiles; skipped: Skipped },
): void {
  switch (chunk.type) {
    case "text":
      return addAnswerText(parts, textOf(chunk.text), id);
    case "tool_call": {
      const callId = textOf(chunk.id) || id;
      parts.push(toolCall(callId, textOf(chunk.name), chunk.publicArguments));
      if (chunk.publicResult != null)
        setResult(parts, { id: callId, name: "tool" }, chunk.publicResult as Json);
      return;
    }
    case "reference":
      return void parts.push(...sourcesOf(parts, listOf(chunk.referenceIds), id));
    case "image_url": {
      const url = textOf(chunk.imageUrl) || textOf(objectOf(chunk.imageUrl).url);
      const name = url.slice(url.lastIndexOf("/") + 1).replace(/\?.*$/, "") || undefined;
      return void parts.push({ type: "file-place", file: files.find("", name), name, isImage: true });
    }
    default:
      skipped.add("unknown", textOf(chunk.type) || "chunk");
  }
}

/** The results of the tools before, which references count. */
function sourcesOf(
  parts: readonly ConvertedPart[],
  numbers: readonly unknown[],
  id: string,
): ConvertedPart[] {
  const results = parts.flatMap((part) => {
    const result = part.type === "tool-call" ? part.result : undefined;
    return Array.isArray(result) ? result : listOf(objectOf(result).results ?? objectOf(result).sources);
  });
  const known = new Set(
    parts.flatMap((part) => (part.type === "source" && part.sourceType === "url" ? [part.url] : [])),
  );
  return numbers.flatMap((number, index) => {
    const { url, title, name } = objectOf(results[Number(number)]);
    return known.has(textOf(url)) ? [] : webSource(`${id}-${index + 1}`, url, textOf(title) || name);
  });
}
