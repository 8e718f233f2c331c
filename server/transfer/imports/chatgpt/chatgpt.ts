import { isJsonObject } from "#contract/json.ts";
import { newBudget, type Documents } from "../other-services/documents.ts";
import type { ExportFiles } from "../other-services/files-of-export.ts";
import { objectOf, textOf, timeOf } from "../other-services/fields.ts";
import {
  createSkipped,
  toExportedThread,
  parentsFirst,
  type ConvertedMessage,
  type ConvertedPart,
} from "../other-services/converted-messages.ts";
import { words } from "../other-services/import-words.ts";
import { conversationSource } from "../other-services/conversation-source.ts";
import type { Importer } from "../importer.ts";
import type { ThreadSource } from "../thread-source.ts";
import { addParts, hasText, type Conversation } from "./chatgpt-parts.ts";

type Fields = Record<string, unknown>;

/** The message of a node, the documents of its branch, and whether the assistant's next step belongs to the message. */
type Predecessor = { message: ConvertedMessage | undefined; documents: Documents; continues: boolean };

/** What the ids of projects begin with. */
const projectPrefix = "g-p-";

const root: Predecessor = { message: undefined, documents: new Map(), continues: false };

/**
 * Conversations of ChatGPT's export: `mapping` is a tree with a node for every step. The assistant's steps up to the
 * next question become one message. Alternative answers become branches.
 */
export const chatGpt: Importer = {
  kind: "chatgpt",
  // Large exports have several numbered files.
  files: /^(?:.*\/)?conversations(?:[-_]\d+)?\.json$/,
  originalNames: /^(?:.*\/)?conversation_asset_file_names\.json$/,
  recognizes: (value): value is Fields => isJsonObject(value) && isJsonObject(value.mapping),
  thread: threadOf,
};

function threadOf(conversation: Fields, files: ExportFiles): ThreadSource {
  return conversationSource(() => {
    const shared = { files, skipped: createSkipped(), budget: newBudget() };
    const { messages, shown } = messagesOf(conversation, shared);
    const thread = toExportedThread("chatgpt", {
      id: conversation.conversation_id ?? conversation.id,
      title: conversation.title,
      archived: conversation.is_archived,
      pinned: conversation.is_starred,
      folder: projectOf(conversation),
      createdAtMs: timeOf(conversation.create_time, 1_000),
      updatedAtMs: timeOf(conversation.update_time, 1_000),
      shown,
    });
    return { messages, thread, skipped: shared.skipped.list() };
  });
}

/** Characters of a project's id. It begins with a time, so projects that were made together differ only after that. */
const projectCharacters = 12;

/** A name for the conversation's project, of which the export has only the id. "" for a conversation in none. */
function projectOf({ conversation_template_id: template, gizmo_id: gizmo }: Fields): string {
  const id = [template, gizmo].map(textOf).find((text) => text.startsWith(projectPrefix));
  return id === undefined ? "" : words.project(id.slice(projectPrefix.length).slice(0, projectCharacters));
}

function messagesOf(
  conversation: Fields,
  shared: Conversation,
): {
  messages: ConvertedMessage[];
  shown: string | null;
} {
  const nodes = new Map(
    Object.entries(objectOf(conversation.mapping)).map(([id, node]) => [id, objectOf(node)]),
  );
  const ordered = parentsFirst(nodes, parentOf, "mapping");
  const childCount = new Map<string, number>();
  for (const [, node] of ordered) {
    const parent = parentOf(node);
    if (parent !== null) childCount.set(parent, (childCount.get(parent) ?? 0) + 1);
  }
  const messages: ConvertedMessage[] = [];
  const places = new Map<string, Predecessor>();
  for (const [id, node] of ordered) {
    const above = places.get(parentOf(node) ?? "") ?? root;
    const { message, documents } = take(id, objectOf(node.message), above, shared);
    if (message !== undefined && message !== above.message) messages.push(message);
    places.set(id, {
      message: message ?? above.message,
      documents,
      // Two answers to one question are two messages, even if they begin with the same step.
      continues: (message !== undefined || above.continues) && (childCount.get(id) ?? 0) <= 1,
    });
  }
  return { messages, shown: places.get(textOf(conversation.current_node))?.message?.id ?? null };
}

/** The message that a node creates or continues; `undefined` for a hidden node. */
function take(
  id: string,
  message: Fields,
  above: Predecessor,
  shared: Conversation,
): { message: ConvertedMessage | undefined; documents: Documents } {
  const nothing = { message: undefined, documents: above.documents };
  const author = textOf(objectOf(message.author).role);
  if (author !== "user" && author !== "assistant" && author !== "tool" && author !== "system") return nothing;
  const metadata = objectOf(message.metadata);
  if (metadata.is_visually_hidden_from_conversation === true) {
    if (hasText(objectOf(message.content)))
      shared.skipped.add("hidden", metadata.is_user_system_message === true ? "instructions" : author);
    return nothing;
  }
  const role = author === "tool" ? "assistant" : author;
  const model = textOf(metadata.model_slug);
  const node = { id, message, documents: above.documents };
  if (role === "assistant" && above.message?.role === "assistant" && above.continues) {
    const documents = addParts(above.message.parts, node, shared);
    if (documents === undefined) return nothing;
    // The last step has the answer's model.
    if (model !== "") above.message.author = { name: "ChatGPT", model };
    above.message.isCutOff = isCutOff(message);
    return { message: above.message, documents };
  }
  const parts: ConvertedPart[] = [];
  const documents = addParts(parts, node, shared);
  if (documents === undefined) return nothing;
  const added: ConvertedMessage = {
    id,
    parentId: above.message?.id ?? null,
    role,
    parts,
    atMs: timeOf(message.create_time, 1_000),
    ...(role === "assistant" ? { author: { name: "ChatGPT", model }, isCutOff: isCutOff(message) } : {}),
  };
  return { message: added, documents };
}

/** Whether the person stopped a step, or it came to a limit. */
function isCutOff({ status, metadata }: Fields): boolean {
  const { type } = objectOf(objectOf(metadata).finish_details);
  return (
    status === "in_progress" ||
    status === "finished_partial_completion" ||
    /^(?:interrupted|max_tokens)$/.test(textOf(type))
  );
}

function parentOf(node: Fields): string | null {
  return typeof node.parent === "string" ? node.parent : null;
}
