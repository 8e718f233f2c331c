import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import type { Part } from "#contract/parts/kinds.ts";
import {
  addResult,
  foreignThread,
  listOf,
  timeOf,
  objectOf,
  parentsFirst,
  textOf,
  toIncoming,
  type ForeignMessage,
} from "./foreign.ts";
import type { ThreadSource } from "./thread-source.ts";
import { words } from "./words.ts";

/** Conversations of Claude's export: `chat_messages` is a list. Later exports contain the tree too. */
export function isClaude(value: unknown): boolean {
  return isJsonObject(value) && Array.isArray(value.chat_messages);
}

export function claudeThread(conversation: Record<string, unknown>): ThreadSource {
  return {
    async *read() {
      const messages = messagesOf(conversation);
      yield* messages.map(toIncoming);
      const leaf = textOf(conversation.current_leaf_message_uuid);
      return await Promise.resolve(
        foreignThread("claude", {
          id: conversation.uuid,
          title: conversation.name,
          archived: false,
          pinned: conversation.is_starred,
          createdAtMs: timeOf(conversation.created_at, 1),
          updatedAtMs: timeOf(conversation.updated_at, 1),
          shown: messages.some(({ id }) => id === leaf) ? leaf : null,
        }),
      );
    },
  };
}

function messagesOf(conversation: Record<string, unknown>): ForeignMessage[] {
  const messages = new Map<string, ForeignMessage>();
  const list = listOf(conversation.chat_messages).map(objectOf);
  const ids = new Set(list.map(({ uuid }) => textOf(uuid)));
  let previous: string | null = null;
  for (const [index, message] of list.entries()) {
    const id = textOf(message.uuid) || `${index + 1}`;
    const parent = message.parent_message_uuid;
    // A parent that is not in the list is the root of the tree. Without a parent, the previous message is the parent.
    const parentId: string | null = typeof parent === "string" ? (ids.has(parent) ? parent : null) : previous;
    const role = message.sender === "assistant" ? "assistant" : "user";
    messages.set(id, {
      id,
      parentId,
      role,
      parts: partsOf(message, id),
      atMs: timeOf(message.created_at, 1),
      ...(role === "assistant" ? { author: { name: "Claude", model: textOf(conversation.model) } } : {}),
    });
    previous = id;
  }
  return parentsFirst(messages, ({ parentId }) => parentId, "chat_messages").map(([, message]) => message);
}

function partsOf(message: Record<string, unknown>, id: string): Part[] {
  const parts: Part[] = [];
  for (const [index, block] of listOf(message.content).map(objectOf).entries())
    addBlock(parts, block, `${id}-${index + 1}`);
  const text = textOf(message.text);
  if (parts.length === 0 && text !== "") parts.push({ type: "text", text });
  for (const file of listOf(message.attachments).map(objectOf)) {
    const name = textOf(file.file_name) || words.file;
    const content = textOf(file.extracted_content);
    parts.push({ type: "text", text: content === "" ? words.missingFile(name) : `${name}:\n\n${content}` });
  }
  for (const file of listOf(message.files).map(objectOf))
    parts.push({ type: "text", text: words.missingFile(textOf(file.file_name) || words.file) });
  return parts;
}

function addBlock(parts: Part[], block: Record<string, unknown>, id: string): void {
  switch (block.type) {
    case "text":
      if (textOf(block.text) !== "") parts.push({ type: "text", text: textOf(block.text) });
      parts.push(...sourcesOf(listOf(block.citations).map(objectOf), id));
      return;
    case "thinking":
      if (textOf(block.thinking) !== "") parts.push({ type: "reasoning", text: textOf(block.thinking) });
      return;
    case "tool_use": {
      const args = objectOf(block.input) as JsonObject;
      const toolName = textOf(block.name) || "tool";
      parts.push({
        type: "tool-call",
        toolCallId: textOf(block.id) || id,
        toolName,
        argsText: JSON.stringify(args),
        args,
      });
      return;
    }
    case "tool_result":
      addResult(parts, { id, name: textOf(block.name) || "tool" }, resultOf(block.content));
  }
}

function resultOf(content: unknown): Json {
  if (!Array.isArray(content)) return (content ?? null) as Json;
  const blocks = content.map(objectOf);
  if (blocks.every(({ type }) => type === "text")) return blocks.map(({ text }) => textOf(text)).join("\n\n");
  return content as Json;
}

function sourcesOf(citations: Record<string, unknown>[], id: string): Part[] {
  return citations.flatMap((citation, index): Part[] => {
    const url = textOf(citation.url) || textOf(objectOf(citation.details).url);
    const title = textOf(citation.title);
    if (!URL.canParse(url)) return [];
    return [
      {
        type: "source",
        sourceType: "url",
        id: `${id}-${index + 1}`,
        url,
        ...(title === "" ? {} : { title }),
      },
    ];
  });
}
