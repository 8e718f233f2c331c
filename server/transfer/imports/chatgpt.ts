import { isJsonObject } from "#contract/json.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { addParts } from "./chatgpt-parts.ts";
import {
  foreignThread,
  timeOf,
  objectOf,
  parentsFirst,
  textOf,
  toIncoming,
  type ForeignMessage,
} from "./foreign.ts";
import type { ThreadSource } from "./thread-source.ts";

/**
 * Conversations of ChatGPT's export: `mapping` is a tree with a node for every step. The assistant's steps up to the next
 * question become one message. Alternative answers become branches.
 */
export function isChatGpt(value: unknown): boolean {
  return isJsonObject(value) && isJsonObject(value.mapping);
}

type Node = Record<string, unknown>;

/** The message of a node, and whether the assistant's next step belongs to the same message. */
type Place = { message: ForeignMessage | undefined; goesOn: boolean };

export function chatGptThread(conversation: Record<string, unknown>): ThreadSource {
  return {
    async *read() {
      const { messages, shown } = messagesOf(conversation);
      yield* messages.map(toIncoming);
      return await Promise.resolve(
        foreignThread("chatgpt", {
          id: conversation.conversation_id ?? conversation.id,
          title: conversation.title,
          archived: conversation.is_archived,
          pinned: conversation.is_starred,
          createdAtMs: timeOf(conversation.create_time, 1_000),
          updatedAtMs: timeOf(conversation.update_time, 1_000),
          shown,
        }),
      );
    },
  };
}

function messagesOf(conversation: Record<string, unknown>): {
  messages: ForeignMessage[];
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
  const messages: ForeignMessage[] = [];
  const places = new Map<string, Place>();
  for (const [id, node] of ordered) {
    const above = places.get(parentOf(node) ?? "") ?? { message: undefined, goesOn: false };
    const message = take(id, objectOf(node.message), above);
    if (message !== undefined && message !== above.message) messages.push(message);
    places.set(id, {
      message: message ?? above.message,
      // Two answers to one question are two messages, even if they begin with the same step.
      goesOn: (message !== undefined || above.goesOn) && (childCount.get(id) ?? 0) <= 1,
    });
  }
  return { messages, shown: places.get(textOf(conversation.current_node))?.message?.id ?? null };
}

/** The message that a node creates or continues; `undefined` for a hidden node. */
function take(id: string, message: Record<string, unknown>, above: Place): ForeignMessage | undefined {
  const author = textOf(objectOf(message.author).role);
  const isHidden = objectOf(message.metadata).is_visually_hidden_from_conversation === true;
  if (isHidden || (author !== "user" && author !== "assistant" && author !== "tool" && author !== "system"))
    return undefined;
  const role = author === "tool" ? "assistant" : author;
  const model = textOf(objectOf(message.metadata).model_slug);
  if (role === "assistant" && above.message?.role === "assistant" && above.goesOn) {
    if (!addParts(above.message.parts, id, message)) return undefined;
    // The last step has the answer's model.
    if (model !== "") above.message.author = { name: "ChatGPT", model };
    return above.message;
  }
  const parts: Part[] = [];
  if (!addParts(parts, id, message)) return undefined;
  return {
    id,
    parentId: above.message?.id ?? null,
    role,
    parts,
    atMs: timeOf(message.create_time, 1_000),
    ...(role === "assistant" ? { author: { name: "ChatGPT", model } } : {}),
  };
}

function parentOf(node: Node): string | null {
  return typeof node.parent === "string" ? node.parent : null;
}
