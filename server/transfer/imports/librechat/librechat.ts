import { isJsonObject, type Json } from "#contract/json.ts";
import { attachment } from "../other-services/attachment.ts";
import { chatSource, type ForeignChat, type ForeignMessage } from "../other-services/chat-source.ts";
import {
  setResult,
  toolCall,
  webSource,
  type ConvertedPart,
  type Skipped,
} from "../other-services/converted-messages.ts";
import { listOf, objectOf, textOf, timeOf } from "../other-services/fields.ts";
import { bytesFile, bytesOfDataUrl, type ExportFiles } from "../other-services/files-of-export.ts";
import { words } from "../other-services/import-words.ts";
import { addAnswerText, addThought } from "../other-services/text-markup.ts";
import { wholeFile, type Importer } from "../importer.ts";

type Fields = Record<string, unknown>;

const service = { kind: "librechat", name: "LibreChat" } as const;
const rootId = "00000000-0000-0000-0000-000000000000";

/** A conversation of LibreChat: its JSON export, or a document of its database with its messages. */
export const libreChat: Importer = {
  kind: "librechat",
  files: /\.json$/,
  recognizes: (value): value is Fields =>
    isJsonObject(value) &&
    typeof value.conversationId === "string" &&
    (typeof value.messageId === "string" ||
      Array.isArray(value.messages) ||
      Array.isArray(value.messagesTree)),
  gather: wholeFile,
  isBlank: (conversation) => listsOf(conversation).length === 0,
  thread: (conversation, files) => chatSource(service, (skipped) => chatOf(conversation, files, skipped)),
};

function listsOf({ messages, messagesTree }: Fields): unknown[] {
  return listOf(messagesTree).length > 0 ? listOf(messagesTree) : listOf(messages);
}

function chatOf(conversation: Fields, files: ExportFiles, skipped: Skipped): ForeignChat {
  const messages = flattened(listsOf(conversation)).map((message, index) =>
    messageOf(message, { id: textOf(message.messageId) || `${index + 1}`, files, skipped }),
  );
  const times = messages.flatMap(({ atMs }) => (atMs === undefined ? [] : [atMs]));
  return {
    id: conversation.conversationId,
    title: conversation.title,
    archived: conversation.isArchived,
    pinned: conversation.pinned,
    tags: listOf(conversation.tags).map(textOf),
    createdAtMs: timeOf(conversation.createdAt, 1) ?? times[0],
    updatedAtMs: timeOf(conversation.updatedAt, 1),
    messages,
  };
}

/** Messages with their answers inside them, as a list. They can nest deep. */
function flattened(roots: readonly unknown[]): Fields[] {
  const flat: Fields[] = [];
  const waiting = roots.map(objectOf).toReversed();
  for (let message = waiting.pop(); message !== undefined; message = waiting.pop()) {
    flat.push(message);
    const children = listOf(message.children).map(objectOf);
    const parentMessageId = message.messageId;
    waiting.push(...children.map((child) => ({ parentMessageId, ...child })).toReversed());
  }
  return flat;
}

type Shared = { id: string; files: ExportFiles; skipped: Skipped };

function messageOf(message: Fields, shared: Shared): ForeignMessage {
  const { id, files } = shared;
  const role = message.isCreatedByUser === true ? "user" : "assistant";
  const parts: ConvertedPart[] = [];
  for (const quote of listOf(message.quotes).map(textOf))
    if (quote !== "") parts.push({ type: "text", text: quote.replaceAll(/^/gm, "> ") });
  for (const [index, part] of listOf(message.content).entries())
    if (isJsonObject(part)) addPart(parts, part, { ...shared, id: `${id}-${index + 1}` });
  const text = textOf(message.text);
  if (
    parts.every(({ type }) => type !== "text" && type !== "reasoning" && type !== "tool-call") ||
    role === "user"
  ) {
    const isCopy = parts.some((part) => part.type === "text" && part.text === text);
    if (role === "assistant") addAnswerText(parts, text, id);
    else if (text !== "" && !isCopy) parts.push({ type: "text", text });
  }
  for (const [index, file] of [...listOf(message.files), ...listOf(message.attachments)]
    .map(objectOf)
    .entries())
    addFile(parts, file, { id: `${id}/${index + 1}`, files, messageId: id });
  const rating = objectOf(message.feedback).rating;
  return {
    id,
    parentId:
      message.parentMessageId === rootId || message.parentMessageId === null
        ? null
        : textOf(message.parentMessageId) || undefined,
    role,
    parts,
    atMs: timeOf(message.createdAt, 1),
    model: textOf(message.model) || textOf(message.sender),
    isCutOff: message.unfinished === true || message.error === true,
    rating: rating === "thumbsUp" ? "good" : rating === "thumbsDown" ? "bad" : undefined,
  };
}

function addPart(parts: ConvertedPart[], part: Fields, { id, files, skipped }: Shared): void {
  switch (part.type) {
    case "text":
      return addAnswerText(parts, valueOf(part.text), id);
    case "think":
      return addThought(parts, valueOf(part.think).trim());
    case "tool_call":
      return addCall(parts, objectOf(part.tool_call), id);
    case "image_file":
      return addFile(
        parts,
        { type: "image/png", ...objectOf(part.image_file) },
        { id, files, messageId: id },
      );
    case "image_url": {
      const url = textOf(objectOf(part.image_url).url) || textOf(part.image_url);
      return addFile(parts, { type: "image/png", filepath: url }, { id, files, messageId: id });
    }
    case "error":
      return void parts.push({ type: "text", text: words.error(valueOf(part.error) || valueOf(part.text)) });
    case "agent_update":
      return;
    default:
      skipped.add("unknown", textOf(part.type) || "part");
  }
}

/** A text, or a text in an object. */
function valueOf(text: unknown): string {
  return textOf(text) || textOf(objectOf(text).value);
}

function addCall(parts: ConvertedPart[], call: Fields, id: string): void {
  const { function: called, code_interpreter: code } = call;
  const callId = textOf(call.id) || id;
  const name = textOf(call.name) || textOf(objectOf(called).name) || textOf(call.type);
  parts.push(
    toolCall(
      callId,
      name,
      call.args ?? objectOf(called).arguments ?? (code == null ? {} : { code: objectOf(code).input }),
    ),
  );
  const output = call.output ?? objectOf(called).output ?? objectOf(code).outputs;
  if (output != null) setResult(parts, { id: callId, name }, output as Json);
}

/** Adds a file once, or the pages that a search tool attached. */
function addFile(
  parts: ConvertedPart[],
  file: Fields,
  { id, files, messageId }: { id: string; files: ExportFiles; messageId: string },
): void {
  const found = objectOf(file.web_search);
  const pages = [...listOf(found.organic), ...listOf(found.topStories)].map(objectOf);
  if (pages.length > 0)
    return void parts.push(
      ...pages.flatMap(({ link, title }, at) => webSource(`${messageId}-s${at + 1}`, link, title)),
    );
  const path = textOf(file.filepath);
  const bytes = bytesOfDataUrl(path);
  const name = textOf(file.filename) || (bytes === undefined ? path.slice(path.lastIndexOf("/") + 1) : "");
  const isImage = textOf(file.type).startsWith("image/");
  if (bytes !== undefined)
    return void parts.push({
      type: "file-place",
      file: bytesFile(bytes, name || undefined),
      name: name || undefined,
      isImage,
    });
  if (name === "" && textOf(file.file_id) === "") return;
  const place = attachment({ id: file.file_id, file_name: name, extracted_content: file.text }, id, files);
  const isThere =
    place.file !== undefined && parts.some((part) => part.type === "file-place" && part.file === place.file);
  if (!isThere) parts.push({ ...place, isImage });
}
