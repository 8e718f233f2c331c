import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { newBudget, type DocumentBudget, type Documents } from "../other-services/documents.ts";
import { bytesFile, type ExportFiles } from "../other-services/files-of-export.ts";
import { listOf, objectOf, textOf, timeOf } from "../other-services/fields.ts";
import {
  addResult,
  createSkipped,
  toExportedThread,
  parentsFirst,
  webSource,
  type FilePlace,
  type ConvertedMessage,
  type ConvertedPart,
  type Skipped,
} from "../other-services/converted-messages.ts";
import { addThought } from "../other-services/text-markup.ts";
import { conversationSource } from "../other-services/conversation-source.ts";
import type { Importer } from "../importer.ts";
import type { ThreadSource } from "../thread-source.ts";
import { addText, showArtifact } from "./artifacts.ts";
import { attachment } from "../other-services/attachment.ts";

type Fields = Record<string, unknown>;

/** What the messages of a conversation share. */
type Conversation = { files: ExportFiles; skipped: Skipped; budget: DocumentBudget };

/** Conversations of Claude's export: `chat_messages` is a list. Later exports contain the tree too. */
export const claude: Importer = {
  kind: "claude",
  files: /^(?:.*\/)?conversations(?:[-_]\d+)?\.json$/,
  recognizes: (value): value is Fields => isJsonObject(value) && Array.isArray(value.chat_messages),
  thread: threadOf,
};

function threadOf(conversation: Fields, files: ExportFiles): ThreadSource {
  return conversationSource(() => {
    const shared = { files, skipped: createSkipped(), budget: newBudget() };
    const messages = messagesOf(conversation, shared);
    const leaf = textOf(conversation.current_leaf_message_uuid);
    const thread = toExportedThread("claude", {
      id: conversation.uuid,
      title: conversation.name,
      archived: false,
      pinned: conversation.is_starred,
      folder: objectOf(conversation.project).name,
      createdAtMs: timeOf(conversation.created_at, 1),
      updatedAtMs: timeOf(conversation.updated_at, 1),
      shown: messages.some(({ id }) => id === leaf) ? leaf : null,
    });
    return { messages, thread, skipped: shared.skipped.list() };
  });
}

function messagesOf(conversation: Fields, shared: Conversation): ConvertedMessage[] {
  const nodes = new Map<string, { parentId: string | null; message: Fields }>();
  const list = listOf(conversation.chat_messages).filter(isJsonObject);
  const ids = new Set(list.map(({ uuid }) => textOf(uuid)));
  let previous: string | null = null;
  for (const [index, message] of list.entries()) {
    const id = textOf(message.uuid) || `${index + 1}`;
    const parent = message.parent_message_uuid;
    // A parent that is not in the list is the root of the tree. Without a parent, the previous message is the parent.
    const parentId: string | null = typeof parent === "string" ? (ids.has(parent) ? parent : null) : previous;
    nodes.set(id, { parentId, message });
    previous = id;
  }
  const documents = new Map<string, Documents>();
  return parentsFirst(nodes, ({ parentId }) => parentId, "chat_messages").map(
    ([id, { parentId, message }]) => {
      const parts: ConvertedPart[] = [];
      const above = documents.get(parentId ?? "") ?? new Map();
      documents.set(id, addParts({ id, parts, documents: above, budget: shared.budget }, message, shared));
      const role = message.sender === "assistant" ? "assistant" : "user";
      const author = { name: "Claude", model: textOf(conversation.model) };
      return {
        id,
        parentId,
        role,
        parts,
        atMs: timeOf(message.created_at, 1),
        ...(role === "assistant" ? { author, isCutOff: isCutOff(message) } : {}),
      };
    },
  );
}

/** Whether the person stopped the answer, or it came to a limit. */
function isCutOff({ stop_reason: reason }: Fields): boolean {
  return /^(?:user_cancel+ed|max_tokens)$/.test(textOf(reason));
}

type Branch = { id: string; parts: ConvertedPart[]; documents: Documents; budget: DocumentBudget };

/** Adds the content of a message. Returns the branch's documents after it. */
function addParts(branch: Branch, message: Fields, { files, skipped }: Conversation): Documents {
  const { id, parts } = branch;
  let { documents } = branch;
  const silent = new Set<string>();
  for (const [index, block] of listOf(message.content).map(objectOf).entries())
    documents = addBlock(
      block,
      { ...branch, id: `${id}-${index + 1}`, documents },
      { files, skipped, silent },
    );
  if (parts.length === 0) documents = addText(textOf(message.text), { ...branch, documents });
  for (const [index, file] of listOf(message.attachments).map(objectOf).entries())
    parts.push(attachment(file, `${id}/${index + 1}`, files));
  const placed = new Set<string>();
  for (const file of [...listOf(message.files_v2), ...listOf(message.files)].map(objectOf)) {
    const place = filePlace(file, files);
    const keys = [textOf(file.file_uuid), place.name ?? ""].filter((key) => key !== "");
    // The two lists have the same files, the older one without their ids.
    if (!keys.some((key) => placed.has(key)) || keys.length === 0) parts.push(place);
    for (const key of keys) placed.add(key);
  }
  return documents;
}

function addBlock(
  block: Fields,
  branch: Branch,
  { files, skipped, silent }: Pick<Conversation, "files" | "skipped"> & { silent: Set<string> },
): Documents {
  const { id, parts, documents } = branch;
  switch (block.type) {
    case "text": {
      const after = addText(textOf(block.text), branch);
      parts.push(...sourcesOf(listOf(block.citations).map(objectOf), id));
      return after;
    }
    case "thinking": {
      const summaries = listOf(block.summaries).map((each) => textOf(objectOf(each).summary));
      const [startMs = 0, stopMs = 0] = [timeOf(block.start_timestamp, 1), timeOf(block.stop_timestamp, 1)];
      addThought(parts, textOf(block.thinking) || summaries.join("\n\n").trim(), (stopMs - startMs) / 1_000);
      return documents;
    }
    case "tool_use": {
      const args = objectOf(block.input) as JsonObject;
      const toolName = textOf(block.name) || "tool";
      const after = showArtifact(toolName, args, branch);
      if (after !== undefined) {
        silent.add(textOf(block.id) || toolName);
        parts.push(...sourcesOf(listOf(args.md_citations).map(objectOf), id));
        return after;
      }
      const toolCallId = textOf(block.id) || id;
      parts.push({ type: "tool-call", toolCallId, toolName, argsText: JSON.stringify(args), args });
      return documents;
    }
    case "tool_result": {
      // The result of a tool that writes a document says only that it worked.
      if (silent.has(textOf(block.tool_use_id)) || silent.has(textOf(block.name))) return documents;
      addResult(parts, { id, name: textOf(block.name) || "tool" }, resultOf(block.content));
      for (const item of listOf(block.content).map(objectOf))
        if (isFile(item)) parts.push(filePlace(item, files));
      return documents;
    }
    // How much the model may still write.
    case "token_budget":
      return documents;
    default:
      if (isFile(block)) parts.push(filePlace(block, files));
      else if (textOf(block.text) !== "") parts.push({ type: "text", text: textOf(block.text) });
      else skipped.add("unknown", textOf(block.type) || "block");
      return documents;
  }
}

function isFile({ type }: Fields): boolean {
  return type === "image" || type === "document" || type === "local_resource";
}

/** A file of the zip, by its id or its name, or one whose bytes are in the block. */
function filePlace(file: Fields, files: ExportFiles): FilePlace {
  const source = objectOf(file.source);
  const id = textOf(file.file_uuid) || textOf(file.uuid) || textOf(source.file_uuid);
  const name = textOf(file.file_name) || textOf(file.name) || undefined;
  const isImage = file.type === "image" || file.file_kind === "image";
  const data = source.type === "base64" ? textOf(source.data) : "";
  const bytes = Buffer.from(data, "base64");
  const found = data === "" ? files.find(id, name) : bytesFile(bytes, name);
  return { type: "file-place", file: found, name, isImage };
}

function resultOf(content: unknown): Json {
  if (!Array.isArray(content)) return (content ?? null) as Json;
  const blocks = content.map(objectOf);
  if (blocks.every((block) => block.type === "text" || isFile(block)))
    return blocks.flatMap(({ type, text }) => (type === "text" ? [textOf(text)] : [])).join("\n\n");
  return content as Json;
}

function sourcesOf(citations: Fields[], id: string): Part[] {
  return citations.flatMap(({ url, title, details }, index) =>
    webSource(`${id}-${index + 1}`, textOf(url) || objectOf(details).url, title),
  );
}
