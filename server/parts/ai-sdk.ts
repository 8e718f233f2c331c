import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { deniedWords } from "./tool-call.ts";

/**
 * A part of a message stored as `ai-sdk/v5` or `ai-sdk/v6` in the shape of our own format; `undefined` for a part that
 * says nothing (`step-start`) or that we do not know. What it gives is still unchecked.
 */
export function fromAiSdk(part: unknown): unknown {
  if (!isJsonObject(part) || typeof part.type !== "string") return undefined;
  const { type } = part;
  if (type === "text" || type === "reasoning") return { type, text: part.text };
  if (type === "source-url") {
    return { type: "source", sourceType: "url", id: part.sourceId, url: part.url, ...titled(part.title) };
  }
  if (type === "source-document") {
    return {
      type: "source",
      sourceType: "document",
      id: part.sourceId,
      mediaType: part.mediaType,
      title: part.title,
      ...named(part.filename),
    };
  }
  if (type === "file") return fromFile(part);
  if (type.startsWith("data-"))
    return { type: "data", name: type.slice("data-".length), data: part.data ?? null };
  if (type === "dynamic-tool") return fromTool(part, part.toolName);
  if (type.startsWith("tool-")) return fromTool(part, type.slice("tool-".length));
  return undefined;
}

function fromFile(part: JsonObject): unknown {
  if (typeof part.mediaType === "string" && part.mediaType.startsWith("image/")) {
    return { type: "image", image: part.url, ...named(part.filename) };
  }
  return { type: "file", data: part.url, mimeType: part.mediaType, ...named(part.filename) };
}

function fromTool(part: JsonObject, toolName: Json | undefined): unknown {
  // The model had not finished writing this call when the message was stored: there is nothing to answer.
  if (part.state === "input-streaming") return undefined;
  const call = { type: "tool-call", toolCallId: part.toolCallId, toolName, args: part.input };
  switch (part.state) {
    case "output-available":
      return { ...call, result: part.output ?? null };
    case "output-error":
      return { ...call, result: part.errorText ?? "The tool failed.", isError: true };
    case "output-denied": {
      const reason = isJsonObject(part.approval) ? part.approval.reason : undefined;
      const said = typeof reason === "string" ? reason : undefined;
      const approval = { approved: false, ...(said === undefined ? {} : { reason: said }) };
      return { ...call, approval, result: deniedWords(said), isError: true };
    }
    default:
      return call;
  }
}

function titled(title: Json | undefined): { title?: string } {
  return typeof title === "string" ? { title } : {};
}

function named(filename: Json | undefined): { filename?: string } {
  return typeof filename === "string" ? { filename } : {};
}
