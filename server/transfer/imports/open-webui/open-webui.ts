import { isJsonObject } from "#contract/json.ts";
import { chatSource, type ForeignChat, type ForeignMessage } from "../other-services/chat-source.ts";
import { listOf, objectOf, textOf, timeOf } from "../other-services/fields.ts";
import type { ExportFiles } from "../other-services/files-of-export.ts";
import type { ConvertedPart, Skipped } from "../other-services/converted-messages.ts";
import { words } from "../other-services/import-words.ts";
import type { Importer } from "../importer.ts";
import { addAnswer, addFiles, addQuestion } from "./message-parts.ts";

type Fields = Record<string, unknown>;

const openWebUiService = { kind: "open-webui", name: "Open WebUI" } as const;

/** Chats of Open WebUI's JSON export: rows of its table, or one chat alone. `history.messages` is the tree. */
export const openWebUi: Importer = {
  kind: "open-webui",
  files: /^(?:.*\/)?(?:all-)?chats?-export-[^/]*\.json$/,
  recognizes: (value): value is Fields => isJsonObject(value) && messagesIn(chatIn(value)) !== undefined,
  isBlank: (row) => isLeftOut(row) || Object.keys(messagesIn(chatIn(row)) ?? {}).length === 0,
  thread: (row, files) => chatSource(openWebUiService, (skipped) => chatOf(row, files, skipped)),
};

/** Chats that nobody sees: those of tasks, and copies that were shared. */
export function isLeftOut({ meta, user_id: userId }: Fields): boolean {
  return objectOf(meta).internal === true || textOf(userId).startsWith("shared-");
}

function chatIn(row: Fields): Fields {
  return isJsonObject(row.chat) ? row.chat : row;
}

/** The messages by id. Old chats have only a list of the visible branch. */
function messagesIn(chat: Fields): Fields | undefined {
  const { history, messages } = chat;
  if (isJsonObject(history) && isJsonObject(history.messages)) return history.messages;
  const list = listOf(messages);
  const isList = Array.isArray(messages) && Array.isArray(chat.models);
  return isList
    ? Object.fromEntries(list.map((each, index) => [textOf(objectOf(each).id) || `${index + 1}`, each]))
    : undefined;
}

function chatOf(row: Fields, files: ExportFiles, skipped: Skipped): ForeignChat {
  const chat = chatIn(row);
  const byId = messagesIn(chat) ?? {};
  const createdAtMs = secondsOf(row.created_at ?? chat.timestamp);
  const folder = textOf(row.folder_name);
  const tags = [
    ...listOf(row.tag_names ?? objectOf(row.meta).tags),
    ...(row.meta == null ? listOf(chat.tags) : []),
  ];
  return {
    id: textOf(row.id) || Object.keys(byId)[0],
    title: textOf(row.title) || chat.title,
    archived: truthOf(row.archived),
    pinned: truthOf(row.pinned),
    folder:
      folder === "" && textOf(row.folder_id) !== "" ? words.openWebUiFolder(textOf(row.folder_id)) : folder,
    tags: tags.map((tag) => textOf(tag) || textOf(objectOf(tag).name)),
    createdAtMs,
    updatedAtMs: secondsOf(row.updated_at),
    shown: objectOf(chat.history).currentId,
    messages: messagesOf(byId, { files, skipped, createdAtMs }),
  };
}

/** SQLite has no booleans. */
const truthOf = (value: unknown): boolean => value === true || value === 1;

type Shared = { files: ExportFiles; skipped: Skipped; createdAtMs: number | undefined };

function messagesOf(byId: Fields, shared: Shared): ForeignMessage[] {
  const roles = new Set(["user", "assistant", "system"]);
  const fieldsById = new Map(Object.entries(byId).map(([id, message]) => [id, objectOf(message)]));
  /** A message without a role is the rest of one that was deleted: its children follow its parent. */
  const parentOf = (message: Fields): string | null | undefined => {
    const passed = new Set<string>();
    let parent = message.parentId;
    while (typeof parent === "string" && !passed.has(parent)) {
      const above = fieldsById.get(parent);
      if (above === undefined || roles.has(textOf(above.role))) return parent;
      passed.add(parent);
      parent = above.parentId;
    }
    return parent === null ? null : undefined;
  };
  const messages = [...fieldsById].flatMap(([id, message]) => {
    const role = textOf(message.role);
    return role === "user" || role === "assistant" || role === "system"
      ? [messageOf({ id, message, role, parentId: parentOf(message) }, shared)]
      : [];
  });
  // Old chats have a list without parents.
  const isList = messages.every(({ parentId }) => parentId === undefined);
  return isList ? messages : messages.map((each) => ({ ...each, parentId: each.parentId ?? null }));
}

function messageOf(
  given: { id: string; message: Fields; role: ForeignMessage["role"]; parentId: string | null | undefined },
  { files, skipped, createdAtMs }: Shared,
): ForeignMessage {
  const { id, message, role, parentId } = given;
  const parts: ConvertedPart[] = [];
  if (role === "assistant") addAnswer(parts, message, { id, skipped });
  else addQuestion(parts, message, skipped);
  addFiles(parts, listOf(message.files), { id, files, skipped });
  const rating = objectOf(message.annotation).rating;
  return {
    id,
    parentId,
    role,
    parts,
    atMs: secondsOf(message.timestamp) ?? createdAtMs,
    model: textOf(message.model) || textOf(message.modelName),
    isCutOff: message.done === false || hasError(message),
    rating: rating === 1 ? "good" : rating === -1 ? "bad" : undefined,
  };
}

function hasError({ error }: Fields): boolean {
  return error != null && error !== false && error !== "";
}

/** Seconds, or milliseconds in some versions. */
export function secondsOf(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
  return timeOf(number, typeof number === "number" && number > 10_000_000_000 ? 1 : 1_000);
}
