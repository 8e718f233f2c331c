import { isJsonObject, type JsonObject } from "#contract/json.ts";
import type { BranchMessage } from "#contract/messages.ts";
import type { Part } from "#contract/parts/kinds.ts";

const read = new WeakMap<BranchMessage, readonly Part[]>();

/** The parts of a stored message, in our own words, whichever client wrote it; the same for the same row. */
export function partsOf(row: BranchMessage): readonly Part[] {
  const known = read.get(row);
  if (known !== undefined) return known;
  const parts = row.format.startsWith("ai-sdk/") ? fromAiSdk(row.content) : fromOwn(row.content);
  read.set(row, parts);
  return parts;
}

function fromOwn(content: BranchMessage["content"]): Part[] {
  if (typeof content.content === "string") return [{ type: "text", text: content.content }];
  return objects(content.content).filter(isKnownPart);
}

const ownKinds = new Set(["text", "reasoning", "source", "image", "file", "audio", "tool-call", "data"]);

function isKnownPart(part: JsonObject): part is JsonObject & Part {
  return typeof part.type === "string" && ownKinds.has(part.type);
}

/** Messages that clients of the AI SDK stored through the protocol (`ai-sdk/v5`, `v6`). */
function fromAiSdk(content: BranchMessage["content"]): Part[] {
  return objects(content.parts).flatMap((part): Part[] => {
    const { type } = part;
    if (type === "text" || type === "reasoning") return [{ type, text: text(part.text) }];
    if (type === "file")
      return [{ type, data: text(part.url), mimeType: text(part.mediaType), ...named(part.filename) }];
    if (type === "source-url")
      return [{ type: "source", sourceType: "url", id: text(part.sourceId), url: text(part.url) }];
    if (type === "source-document") {
      return [
        {
          type: "source",
          sourceType: "document",
          id: text(part.sourceId),
          title: text(part.title),
          mediaType: text(part.mediaType),
        },
      ];
    }
    if (type === "dynamic-tool") return [toolCall(part, text(part.toolName))];
    if (typeof type === "string" && type.startsWith("tool-"))
      return [toolCall(part, type.slice("tool-".length))];
    if (typeof type === "string" && type.startsWith("data-"))
      return [{ type: "data", name: type.slice("data-".length), data: part.data ?? null }];
    return [];
  });
}

function toolCall(part: JsonObject, toolName: string): Part {
  const failed = part.state === "output-error";
  return {
    type: "tool-call",
    toolCallId: text(part.toolCallId),
    toolName,
    argsText: JSON.stringify(part.input ?? {}),
    ...(isJsonObject(part.input) ? { args: part.input } : {}),
    ...(failed
      ? { result: text(part.errorText), isError: true }
      : "output" in part
        ? { result: part.output ?? null }
        : {}),
  };
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function named(filename: unknown): { filename?: string } {
  return typeof filename === "string" ? { filename } : {};
}
