import { isJsonObject } from "#contract/json.ts";
import { attachment } from "../other-services/attachment.ts";
import { chatSource, type ForeignMessage } from "../other-services/chat-source.ts";
import { toolCall, type ConvertedPart, type Skipped } from "../other-services/converted-messages.ts";
import { listOf, objectOf, textOf, timeOf } from "../other-services/fields.ts";
import type { ExportFiles } from "../other-services/files-of-export.ts";
import { words } from "../other-services/import-words.ts";
import { addThought } from "../other-services/text-markup.ts";
import type { Importer } from "../importer.ts";

type Fields = Record<string, unknown>;

/** Chats of Claude's designs: a file for each, without branches. */
export const claudeDesignChats: Importer = {
  kind: "claude",
  files: /^(?:.*\/)?design_chats\/[^/]+\.json$/,
  recognizes: (value, list): value is Fields =>
    list === "messages" ? isMessage(value) : isJsonObject(value) && listOf(value.messages).some(isMessage),
  isBlank: (chat) => listOf(chat.messages).length === 0,
  thread: (chat, files) =>
    chatSource({ kind: "claude", name: "Claude" }, (skipped) => ({
      id: chat.uuid,
      title: chat.title,
      folder: objectOf(chat.project).name,
      createdAtMs: timeOf(chat.created_at, 1),
      updatedAtMs: timeOf(chat.updated_at, 1),
      messages: listOf(chat.messages)
        .filter(isJsonObject)
        .map((message, index) =>
          messageOf(message, { id: textOf(message.uuid) || `${index + 1}`, files, skipped }),
        ),
    })),
};

function isMessage(value: unknown): boolean {
  return isJsonObject(value) && typeof value.role === "string" && isJsonObject(value.content);
}

function messageOf(
  message: Fields,
  { id, files, skipped }: { id: string; files: ExportFiles; skipped: Skipped },
): ForeignMessage {
  const content = objectOf(message.content);
  const parts: ConvertedPart[] = [];
  for (const [index, block] of listOf(content.contentBlocks).map(objectOf).entries())
    addBlock(parts, block, { id: `${id}-${index + 1}`, skipped });
  if (parts.length === 0 && textOf(content.content) !== "")
    parts.push({ type: "text", text: textOf(content.content) });
  for (const [index, file] of listOf(content.attachments).map(objectOf).entries()) {
    const given = { id: file.id, file_name: file.name, extracted_content: file.content };
    parts.push(attachment(given, `${id}/${index + 1}`, files));
  }
  return {
    id,
    parentId: undefined,
    role: message.role === "assistant" ? "assistant" : "user",
    parts,
    atMs: timeOf(message.created_at ?? content.timestamp, 1),
  };
}

function addBlock(
  parts: ConvertedPart[],
  block: Fields,
  { id, skipped }: { id: string; skipped: Skipped },
): void {
  const text = textOf(block.text);
  const said = textOf(block.message) || textOf(objectOf(block.message).content);
  switch (block.type) {
    case "text":
      if (text !== "") parts.push({ type: "text", text });
      return;
    case "thinking":
      return addThought(parts, text);
    case "tool_call": {
      const call = objectOf(block.toolCall);
      return void parts.push(
        toolCall(textOf(call.id) || id, textOf(call.name) || "tool", objectOf(call.input)),
      );
    }
    // What the person wrote while Claude was working.
    case "user_interjection":
      if (said !== "") parts.push({ type: "text", text: said.replaceAll(/^/gm, "> ") });
      return;
    case "error":
      return void parts.push({ type: "text", text: words.error(said) });
    default:
      skipped.add("unknown", textOf(block.type) || "block");
  }
}
