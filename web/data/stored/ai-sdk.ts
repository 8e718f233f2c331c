import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

/** A part that clients of the AI SDK stored (`ai-sdk/v5`, `v6`) in the shape of our own; none for one that says nothing. */
export function fromAiSdk(part: JsonObject): JsonObject[] {
  const { type } = part;
  if (type === "text" || type === "reasoning") return [{ type, ...some({ text: part.text }) }];
  if (type === "file")
    return [{ type, ...some({ data: part.url, mimeType: part.mediaType, filename: part.filename }) }];
  if (type === "source-url")
    return [
      { type: "source", sourceType: "url", ...some({ id: part.sourceId, url: part.url, title: part.title }) },
    ];
  if (type === "source-document") {
    const { sourceId: id, title, mediaType, filename } = part;
    return [{ type: "source", sourceType: "document", ...some({ id, title, mediaType, filename }) }];
  }
  if (type === "dynamic-tool") return [toolCall(part, part.toolName)];
  if (typeof type !== "string") return [];
  if (type.startsWith("tool-")) return [toolCall(part, type.slice("tool-".length))];
  if (type.startsWith("data-"))
    return [{ type: "data", name: type.slice("data-".length), data: part.data ?? null }];
  return [];
}

function toolCall(part: JsonObject, toolName: Json | undefined): JsonObject {
  return {
    type: "tool-call",
    ...some({
      toolCallId: part.toolCallId,
      toolName,
      args: isJsonObject(part.input) ? part.input : undefined,
    }),
    ...outcome(part),
  };
}

function outcome(part: JsonObject): JsonObject {
  switch (part.state) {
    case "output-error":
      return { result: part.errorText ?? "", isError: true };
    case "output-denied":
      return { result: "", isError: true, approval: { id: part.toolCallId ?? "", approved: false } };
    default:
      return "output" in part ? { result: part.output ?? null } : {};
  }
}

/** Those of the fields that are there. */
function some(fields: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, Json] => field[1] !== undefined),
  );
}
