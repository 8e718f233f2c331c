import type { JsonObject } from "#contract/json.ts";
import type { BranchRows } from "../threads/branch-rows.ts";
import type { Outgoing } from "./outgoing-message.ts";

/** A message that waits for its turn, as it is shown. */
export type WaitingMessage = {
  /** The id of the message that it will be. */
  id: string;
  content: JsonObject;
  /** The answer before it did not end well: it waits for a person. */
  isHeld: boolean;
  /** On its way to the service, where it is not known to have arrived. */
  out: Outgoing | undefined;
};

/** What waits below the messages that are shown, in order: what the service has, then what is on its way there. */
export function showWaiting(rows: BranchRows | undefined, outgoing: readonly Outgoing[]): WaitingMessage[] {
  const shown = new Set(rows?.messages.map(({ id }) => id));
  const stored = (rows?.queue ?? [])
    // What was sent while the two were read is in both.
    .filter((entry) => shown.has(entry.parent_id) && !shown.has(entry.id))
    .map(({ id, content, is_held: isHeld }): WaitingMessage => ({
      id,
      content: content as JsonObject,
      isHeld,
      out: undefined,
    }));
  const known = new Set([...shown, ...(rows?.queue ?? []).map(({ id }) => id)]);
  const coming = outgoing.flatMap((out): WaitingMessage[] =>
    out.queue !== true || out.message === undefined || known.has(out.message.id)
      ? []
      : [{ id: out.message.id, content: out.message.content, isHeld: false, out }],
  );
  return [...stored, ...coming];
}

/** The words of it. */
export function wordsOf({ content }: WaitingMessage): string {
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

/** The same message with other words; what it holds beside words stays. */
export function withWords({ content }: WaitingMessage, text: string): JsonObject {
  const parts = Array.isArray(content.content) ? content.content : [];
  const others = parts.filter(
    (part) => typeof part === "object" && part !== null && !Array.isArray(part) && part.type !== "text",
  );
  return { ...content, content: [{ type: "text", text }, ...others] };
}
