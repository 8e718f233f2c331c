import type { ThreadSource } from "../thread-source.ts";
import { conversationSource } from "./conversation-source.ts";
import {
  createSkipped,
  parentsFirst,
  toExportedThread,
  type ConvertedMessage,
  type ConvertedPart,
  type Skipped,
} from "./converted-messages.ts";

/** A chat of another product, as its converter reads it. */
export type ForeignChat = {
  id: unknown;
  title: unknown;
  archived?: unknown;
  pinned?: unknown;
  folder?: unknown;
  /** Their names. Those without one are left out. */
  tags?: readonly string[];
  createdAtMs?: number | undefined;
  updatedAtMs?: number | undefined;
  /** The last message of the branch that was visible. */
  shown?: unknown;
  /** In any order; those without a parent of their own, and all others if the product has no tree, by time. */
  messages: readonly ForeignMessage[];
};

export type ForeignMessage = {
  id: string;
  /** null: it begins the chat. `undefined`: its parent is the message before it. */
  parentId: string | null | undefined;
  role: "user" | "assistant" | "system";
  parts: ConvertedPart[];
  atMs?: number | undefined;
  model?: string | undefined;
  /** Of an answer; anything else is whole. */
  isCutOff?: boolean | undefined;
  rating?: "good" | "bad" | undefined;
};

/** What most products' chats become. `kind` is the product in the data, `name` its name. */
export function chatSource(
  { kind, name }: { kind: string; name: string },
  convert: (skipped: Skipped) => ForeignChat,
): ThreadSource {
  return conversationSource(() => {
    const skipped = createSkipped();
    const chat = convert(skipped);
    const nodes = treeOf(chat.messages);
    const messages = parentsFirst(nodes, ({ parentId }) => parentId, "messages").map(
      ([, { message, parentId }]): ConvertedMessage => {
        const { id, role, parts, atMs, model = "", isCutOff } = message;
        const ofAnswer = role === "assistant" ? { author: { name, model }, isCutOff } : {};
        return { id, parentId, role, parts, atMs, ...ofAnswer };
      },
    );
    const shown = typeof chat.shown === "string" && nodes.has(chat.shown) ? chat.shown : null;
    const rated = chat.messages.flatMap(({ id, rating }) =>
      rating === undefined ? [] : [[id, rating] as const],
    );
    const thread = toExportedThread(kind, {
      id: chat.id,
      title: chat.title,
      archived: chat.archived,
      pinned: chat.pinned,
      folder: chat.folder,
      tags: (chat.tags ?? []).filter((tag) => tag !== ""),
      ratings: new Map(rated),
      createdAtMs: chat.createdAtMs,
      updatedAtMs: chat.updatedAtMs,
      shown,
    });
    return { messages, thread, skipped: skipped.list() };
  });
}

/**
 * The parents. A message whose parent is missing follows the message before it, unless the list is not sorted, where that
 * could close a circle: then it begins another branch.
 */
function treeOf(
  messages: readonly ForeignMessage[],
): Map<string, { message: ForeignMessage; parentId: string | null }> {
  const ids = new Set(messages.map(({ id }) => id));
  const seen = new Set<string>();
  const isSorted = messages.every(({ id, parentId }) => {
    seen.add(id);
    return parentId == null || !ids.has(parentId) || seen.has(parentId);
  });
  const nodes = new Map<string, { message: ForeignMessage; parentId: string | null }>();
  let previous: string | null = null;
  for (const message of messages) {
    if (nodes.has(message.id)) continue;
    const { parentId: parent } = message;
    const before: string | null = isSorted ? previous : null;
    const parentId = parent === null ? null : parent !== undefined && ids.has(parent) ? parent : before;
    nodes.set(message.id, { message, parentId: parentId === message.id ? null : parentId });
    previous = message.id;
  }
  return nodes;
}
