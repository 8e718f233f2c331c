import type { ThreadAssistantMessagePart, ThreadMessage, ThreadUserMessagePart } from "@assistant-ui/react";
import type { Part } from "#contract/parts/kinds.ts";
import { partsOf } from "#web/data/threads/message-parts.ts";
import type { MessageFacts } from "#web/data/threads/message-facts.ts";
import type { VisibleMessage } from "#web/data/threads/visible-branch.ts";
import { partViews } from "#web/parts/part-views.ts";

type Status = Extract<ThreadMessage, { role: "assistant" }>["status"];
type Converted = { live: VisibleMessage["live"]; facts: MessageFacts; message: ThreadMessage };

/**
 * A visible message in assistant-ui's shape. The same row, live reply and facts give the same object, so an unchanged
 * message is not rendered again.
 */
export function toThreadMessage(visible: VisibleMessage, facts: MessageFacts): ThreadMessage {
  const { row, live } = visible;
  const known = converted.get(row);
  if (known !== undefined && known.live === live && known.facts === facts) return known.message;
  const message = convert(visible, facts);
  converted.set(row, { live, facts, message });
  return message;
}

const converted = new WeakMap<VisibleMessage["row"], Converted>();

function convert({ row, live }: VisibleMessage, facts: MessageFacts): ThreadMessage {
  const parts = live?.reply.parts ?? partsOf(row);
  const common = { id: row.id, createdAt: new Date(row.created_at) };
  const custom = { messagesAbove: row.height };
  switch (row.role) {
    case "user":
      return {
        ...common,
        role: "user",
        content: parts.filter(isUserPart),
        attachments: [],
        metadata: { custom },
      };
    case "system": {
      const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
      return { ...common, role: "system", content: [{ type: "text", text }], metadata: { custom } };
    }
    case "assistant":
      return {
        ...common,
        role: "assistant",
        content: parts.map(assistantPart),
        status: statusOf(facts),
        metadata: {
          unstable_state: null,
          unstable_annotations: [],
          unstable_data: [],
          steps: [],
          custom,
        },
      };
  }
}

function statusOf({ status, failure }: MessageFacts): Status {
  switch (status.type) {
    case "running":
      return { type: "running" };
    case "requires-action":
      return { type: "requires-action", reason: "tool-calls" };
    case "complete":
      return { type: "complete", reason: "stop" };
    case "incomplete":
      if (status.reason === "error")
        return { type: "incomplete", reason: "error", error: failure?.message ?? "" };
      if (status.reason === "cancelled" || status.reason === "length" || status.reason === "content-filter") {
        return { type: "incomplete", reason: status.reason };
      }
      return { type: "incomplete", reason: "other" };
  }
}

function isUserPart(part: Part): part is Part & ThreadUserMessagePart {
  return partViews[part.type].inUserMessage !== "nowhere";
}

const assistantParts = new WeakMap<Part, ThreadAssistantMessagePart>();

/**
 * assistant-ui requires the arguments of a call, which are absent while the model writes them. It fails on messages within a
 * call that are not as it expects; those of a client can be anything, so they get another name.
 */
function assistantPart(part: Part): ThreadAssistantMessagePart {
  // assistant-ui passes parts of all types on to our views.
  if (part.type !== "tool-call" || (part.args !== undefined && part.messages === undefined))
    return part as ThreadAssistantMessagePart;
  const known = assistantParts.get(part);
  if (known !== undefined) return known;
  const { messages: nestedMessages, ...rest } = part;
  const converted = { ...rest, args: part.args ?? {}, nestedMessages };
  assistantParts.set(part, converted);
  return converted;
}
