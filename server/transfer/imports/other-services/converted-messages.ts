import { isoTime } from "#server/lib/clock.ts";
import { isJsonObject, parseJson, type Json, type JsonObject } from "#contract/json.ts";
import type { Part } from "#contract/parts/kinds.ts";
import type { ToolCallPart } from "#contract/parts/tool-call.ts";
import { threadFormat } from "#contract/endpoints/exports.ts";
import { labelsKey } from "#contract/endpoints/fields.ts";
import { limits } from "#contract/limits.ts";
import type { SkippedContent } from "#contract/endpoints/imports.ts";
import type { AnsweredBy } from "#contract/endpoints/messages.ts";
import { cutText } from "#contract/text.ts";
import { badRequest } from "#server/lib/errors.ts";
import type { IncomingMessage, IncomingThread } from "../thread-source.ts";
import { textOf } from "./fields.ts";
import type { DocumentPart } from "./documents.ts";
import type { ExportFile } from "./files-of-export.ts";

/** What the exports of other services have in common. Every field is checked, because the format may change. */

/** A message of another service. */
export type ConvertedMessage = {
  id: string;
  parentId: string | null;
  role: "user" | "assistant" | "system";
  parts: ConvertedPart[];
  atMs: number | undefined;
  /** For answers: the name of the service, and the model if the export has it. */
  author?: { name: string; model: string } | undefined;
  /** The answer was not finished. */
  isCutOff?: boolean | undefined;
};

/** A part of a message, before its files and documents are known. */
export type ConvertedPart = Part | FilePlace | DocumentPart;

/** Where a message has a file. */
export type FilePlace = {
  type: "file-place";
  /** `undefined`: the export does not have the file. */
  file: ExportFile | undefined;
  name: string | undefined;
  /** Whether the message says that it is an image. */
  isImage: boolean;
  /** The text that replaces the file if it is not imported. */
  otherwise?: string;
};

const whole = { type: "complete", reason: "stop" };
const cutOff = { type: "incomplete", reason: "other" };

/** Converts a message to the export format. */
export function toIncoming({
  id,
  parentId,
  role,
  parts,
  atMs,
  author: maker,
  isCutOff = false,
}: Omit<ConvertedMessage, "parts"> & { parts: Part[] }): IncomingMessage {
  const content = parts as unknown as JsonObject[];
  return {
    id,
    parent_id: parentId,
    role,
    format: "aui/v0",
    content:
      role === "assistant"
        ? { role, content, metadata: { custom: {} }, status: isCutOff ? cutOff : whole }
        : { role, content, metadata: { custom: {} } },
    ...(maker === undefined ? {} : { made_by: toAnsweredBy(maker) }),
    ...(isCutOff ? { status: { type: "incomplete" as const, reason: "interrupted", error_code: null } } : {}),
    ...(atMs === undefined ? {} : { created_at: isoTime(atMs) }),
  };
}

/** Without an assistant's id, because it is not an assistant of this server, even if the name is the same. */
function toAnsweredBy({ name, model }: { name: string; model: string }): AnsweredBy {
  const known = cutText(model, limits.nameCharacters);
  return { assistant_id: null, assistant_name: name, model: known === "" ? null : known, notes: [] };
}

/** Converts a thread's metadata to the export format. */
export function toExportedThread(
  from: string,
  facts: {
    id: unknown;
    title: unknown;
    archived: unknown;
    pinned: unknown;
    /** The name of its project. */
    folder?: unknown;
    /** The names of its tags. */
    tags?: readonly string[];
    /** The messages that the person rated. */
    ratings?: ReadonlyMap<string, "good" | "bad">;
    createdAtMs: number | undefined;
    updatedAtMs: number | undefined;
    shown: string | null;
  },
): IncomingThread {
  const id = textOf(facts.id);
  if (id === "") throw badRequest("id", "must be the id of the conversation");
  const title = cutText(textOf(facts.title), limits.titleCharacters);
  const folder = textOf(facts.folder);
  const tags = facts.tags ?? [];
  const labels = { ...(folder === "" ? {} : { folder }), ...(tags.length === 0 ? {} : { tags: [...tags] }) };
  return {
    format: threadFormat,
    version: 1,
    thread: {
      id: cutText(`${from}:${id}`, limits.nameCharacters),
      title: title === "" ? null : title,
      title_source: "model",
      is_archived: facts.archived === true,
      is_pinned: facts.pinned === true,
      metadata: { imported_from: from, ...(Object.keys(labels).length === 0 ? {} : { [labelsKey]: labels }) },
      ...(facts.createdAtMs === undefined ? {} : { created_at: isoTime(facts.createdAtMs) }),
      ...(facts.updatedAtMs === undefined ? {} : { last_message_at: isoTime(facts.updatedAtMs) }),
    },
    shown: facts.shown,
    scores: [...(facts.ratings ?? [])].map(([messageId, rating]) => ({
      message_id: messageId,
      name: "feedback",
      data_type: "boolean" as const,
      value: rating === "good" ? 1 : 0,
      string_value: null,
    })),
    files: [],
  };
}

/** Sorts the nodes of a tree, parents before children, otherwise in the given order. Throws `bad-request` for cycles. */
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

/** Adds a result to the newest call without one, or adds a call with this result. */
export function addResult(parts: ConvertedPart[], call: { id: string; name: string }, result: Json): void {
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

/** Sets the result of the call with this id, or adds a call with this result. */
export function setResult(parts: ConvertedPart[], call: { id: string; name: string }, result: Json): void {
  const open = parts.find((part) => part.type === "tool-call" && part.toolCallId === call.id);
  if (open?.type === "tool-call") open.result = result;
  else parts.push({ ...toolCall(call.id, call.name, ""), result });
}

/** A call with its arguments as JSON text or as an object. */
export function toolCall(id: string, name: string, args: unknown): ToolCallPart {
  const argsText = typeof args === "string" ? args : JSON.stringify(args ?? {});
  const parsed = parseJson(argsText);
  return {
    type: "tool-call",
    toolCallId: id,
    toolName: name || "tool",
    argsText,
    ...(isJsonObject(parsed) ? { args: parsed } : {}),
  };
}

/** A source on the web; none if the address is not one of the web. */
export function webSource(id: string, url: unknown, title: unknown): Part[] {
  if (typeof url !== "string" || !/^https?:/i.test(url) || !URL.canParse(url)) return [];
  const named = textOf(title);
  return [{ type: "source", sourceType: "url", id, url, ...(named === "" ? {} : { title: named }) }];
}

/** Counts what is not imported, by kind. */
export function createSkipped() {
  const kinds = new Map<string, SkippedContent>();
  return {
    add(reason: SkippedContent["reason"], name: string, count = 1) {
      if (count === 0) return;
      const kind = kinds.get(`${reason} ${name}`);
      if (kind === undefined) kinds.set(`${reason} ${name}`, { reason, name, count });
      else kind.count += count;
    },
    list: (): SkippedContent[] => [...kinds.values()],
  };
}
export type Skipped = ReturnType<typeof createSkipped>;
