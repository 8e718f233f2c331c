import type { Asker } from "#contract/endpoints/thread-members.ts";
import type { JsonObject } from "#contract/json.ts";
import type { BranchRows } from "../threads/branch-rows.ts";
import type { OutboxEntry } from "./outbox-entry.ts";

/** A queued message as the page shows it. */
export type VisibleQueuedMessage = {
  /** The id that the message keeps when it leaves the queue. */
  id: string;
  content: JsonObject;
  /** The previous answer failed or was interrupted: the message waits until the user sends it. */
  isHeld: boolean;
  /** Who asks, in a shared thread: only they can change or send it. `undefined`: this person. */
  asker?: Asker | undefined;
  /** Set as long as the server has not confirmed the message. */
  outboxEntry: OutboxEntry | undefined;
};

/** Always the same list, so that no message is rendered again for it. */
const emptyQueue: VisibleQueuedMessage[] = [];

/** The queued messages of the visible branch, in order: first those that the server has, then those of the outbox. */
export function visibleQueue(
  rows: BranchRows | undefined,
  outbox: readonly OutboxEntry[],
): VisibleQueuedMessage[] {
  const messageIds = new Set(rows?.messages.map(({ id }) => id));
  const stored = (rows?.queue ?? [])
    // A message that left the queue between the two reads is in both.
    .filter((entry) => messageIds.has(entry.parent_id) && !messageIds.has(entry.id))
    .map(({ id, content, is_held: isHeld, asked_by: asker }): VisibleQueuedMessage => ({
      id,
      content: content as JsonObject,
      isHeld,
      ...(asker === undefined ? {} : { asker }),
      outboxEntry: undefined,
    }));
  const known = new Set([...messageIds, ...(rows?.queue ?? []).map(({ id }) => id)]);
  const unconfirmed = outbox.flatMap((out): VisibleQueuedMessage[] =>
    out.queue !== true || out.message === undefined || known.has(out.message.id)
      ? []
      : [{ id: out.message.id, content: out.message.content, isHeld: false, outboxEntry: out }],
  );
  const queue = [...stored, ...unconfirmed];
  return queue.length === 0 ? emptyQueue : queue;
}

/** The text parts, joined. */
export function queuedTextOf({ content }: VisibleQueuedMessage): string {
  const parts = Array.isArray(content.content) ? content.content : [];
  return parts
    .map((part) =>
      typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"
        ? part.text
        : "",
    )
    .filter((text) => text !== "")
    .join("\n\n");
}

/** The content with its text parts replaced by `text`; other parts stay. */
export function withText({ content }: VisibleQueuedMessage, text: string): JsonObject {
  const parts = Array.isArray(content.content) ? content.content : [];
  const others = parts.filter(
    (part) => typeof part === "object" && part !== null && !Array.isArray(part) && part.type !== "text",
  );
  return { ...content, content: [{ type: "text", text }, ...others] };
}
