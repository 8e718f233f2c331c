import type { Json, JsonObject } from "#contract/json.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { threadFormat } from "#contract/endpoints/exports.ts";
import { limits } from "#contract/limits.ts";
import type { AnsweredBy } from "#contract/endpoints/messages.ts";
import { cutText } from "#contract/text.ts";
import { badRequest } from "#server/lib/errors.ts";
import type { IncomingMessage, IncomingThread } from "./thread-source.ts";

/** What other services' exports have in common: a tree of messages that is read whole, field by field, trusting none. */

/** A message of another service on its way to be one of ours. */
export type ForeignMessage = {
  id: string;
  parentId: string | null;
  role: "user" | "assistant" | "system";
  parts: Part[];
  atMs: number | undefined;
  /** Of an answer: the service's own name, and the model where the export tells it. */
  maker?: { name: string; model: string } | undefined;
};

/** A message in our own format. */
export function toIncoming({ id, parentId, role, parts, atMs, maker }: ForeignMessage): IncomingMessage {
  const content = parts as unknown as JsonObject[];
  return {
    id,
    parent_id: parentId,
    role,
    format: "aui/v0",
    content:
      role === "assistant"
        ? { role, content, metadata: { custom: {} }, status: { type: "complete", reason: "stop" } }
        : { role, content, metadata: { custom: {} } },
    ...(maker === undefined ? {} : { made_by: madeBy(maker) }),
    ...(atMs === undefined ? {} : { created_at: new Date(atMs).toISOString() }),
  };
}

/** It is none of the assistants that are here, whatever these are called. */
function madeBy({ name, model }: { name: string; model: string }): AnsweredBy {
  const known = cutText(model, limits.nameCharacters);
  return { assistant_id: null, assistant_name: name, model: known === "" ? null : known, notes: [] };
}

/** What is said of a thread of another service. */
export function foreignThread(
  from: string,
  facts: {
    id: unknown;
    title: unknown;
    archived: unknown;
    pinned: unknown;
    createdAtMs: number | undefined;
    updatedAtMs: number | undefined;
    shown: string | null;
  },
): IncomingThread {
  const id = textOf(facts.id);
  if (id === "") throw badRequest("id", "must be the id of the conversation");
  const title = cutText(textOf(facts.title), limits.titleCharacters);
  return {
    format: threadFormat,
    version: 1,
    thread: {
      id: cutText(`${from}:${id}`, limits.nameCharacters),
      title: title === "" ? null : title,
      title_source: "model",
      is_archived: facts.archived === true,
      is_pinned: facts.pinned === true,
      metadata: { imported_from: from },
      ...(facts.createdAtMs === undefined ? {} : { created_at: new Date(facts.createdAtMs).toISOString() }),
      ...(facts.updatedAtMs === undefined
        ? {}
        : { last_message_at: new Date(facts.updatedAtMs).toISOString() }),
    },
    shown: facts.shown,
    scores: [],
    files: [],
  };
}

/** The nodes of a tree, each after its parent, in the order of the list where that allows it. Throws `bad-request`. */
export function parentsFirst<Node>(
  nodes: ReadonlyMap<string, Node>,
  parentOf: (node: Node) => string | null,
  path: string,
): [string, Node][] {
  const children = new Map<string | null, string[]>();
  for (const [id, node] of nodes) {
    const parent = parentOf(node);
    const below = parent !== null && nodes.has(parent) ? parent : null;
    children.set(below, [...(children.get(below) ?? []), id]);
  }
  const ordered: [string, Node][] = [];
  const waiting = (children.get(null) ?? []).toReversed();
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    ordered.push([id, nodes.get(id)!]);
    waiting.push(...(children.get(id) ?? []).toReversed());
  }
  if (ordered.length < nodes.size)
    throw badRequest(path, "must be a tree: some of its messages hang in a circle");
  return ordered;
}

/** Gives the newest call that has no result its result; one that was not told of is told of now. */
export function addResult(parts: Part[], call: { id: string; name: string }, result: Json): void {
  const open = parts.findLast((part) => part.type === "tool-call" && part.result === undefined);
  if (open?.type === "tool-call") open.result = result;
  else
    parts.push({
      type: "tool-call",
      toolCallId: call.id,
      toolName: call.name,
      argsText: "",
      args: {},
      result,
    });
}

export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A moment that a clock of this century could have shown. */
export function momentOf(value: unknown, unitMs: number): number | undefined {
  const ms =
    typeof value === "number" ? value * unitMs : typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) && ms > 0 && ms < 4_102_444_800_000 ? Math.floor(ms) : undefined;
}
