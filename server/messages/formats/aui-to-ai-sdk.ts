import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { roles } from "#contract/messages.ts";
import { mediaTypeOfDataUrl } from "#server/parts/data-url.ts";

/**
 * A message stored as `aui/v0` in the AI SDK's shape: the same for both of its versions, but for calls that a person is
 * asked to allow, of which the older one knows nothing. Attachments become parts, what an application stored of its own
 * becomes metadata, and a part of a kind that the AI SDK lacks becomes a data part. `undefined` where the content is not
 * a message of that format. Never throws.
 */
export function auiToAiSdk(content: JsonObject, version: "v5" | "v6"): JsonObject | undefined {
  const isMessage = roles.some((role) => role === content.role) && Array.isArray(content.content);
  if (!isMessage) return undefined;
  const stored = (content.content as Json[]).filter(isJsonObject);
  const parts = stored.flatMap((part) => (part.type === "tool-call" ? toolOf(part, version) : partOf(part)));
  const metadata = metadataOf(content, stored);
  return {
    role: content.role!,
    parts: content.role === "assistant" ? inSteps(parts) : [...parts, ...attachedParts(content)],
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

function attachedParts(content: JsonObject): JsonObject[] {
  if (!Array.isArray(content.attachments)) return [];
  return content.attachments.flatMap((attachment) => {
    if (!isJsonObject(attachment) || !Array.isArray(attachment.content)) return [];
    const named = typeof attachment.name === "string" ? { filename: attachment.name } : {};
    return attachment.content
      .filter(isJsonObject)
      .flatMap(partOf)
      .map((part) => (part.type === "file" ? { ...named, ...part } : part));
  });
}

function metadataOf(content: JsonObject, stored: JsonObject[]): JsonObject {
  const metadata = isJsonObject(content.metadata) ? content.metadata : {};
  const artifacts = ofCalls(stored, "artifact");
  const interactions = ofCalls(stored, "unstable_interactions");
  return {
    ...(isJsonObject(metadata.custom) ? metadata.custom : {}),
    ...(Array.isArray(metadata.steps) && metadata.steps.length > 0 ? { steps: metadata.steps } : {}),
    ...(artifacts === undefined ? {} : { __aui_toolArtifacts: artifacts }),
    ...(interactions === undefined ? {} : { __aui_toolInteractions: interactions }),
  };
}

/** What the tool calls hold under `field`, by the id of the call. */
function ofCalls(stored: JsonObject[], field: string): JsonObject | undefined {
  const entries = stored.flatMap((part): [string, Json][] => {
    const value = part[field];
    return part.type === "tool-call" && typeof part.toolCallId === "string" && value !== undefined
      ? [[part.toolCallId, value]]
      : [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Says where a step begins: the AI SDK tells a model the calls of one step and their results before the next step. */
function inSteps(parts: JsonObject[]): JsonObject[] {
  const isCall = (part: JsonObject | undefined) => part !== undefined && "toolCallId" in part;
  return parts.flatMap((part, index) => {
    const begins = index === 0 || (isCall(parts[index - 1]) && !isCall(part));
    return begins ? [{ type: "step-start" }, part] : [part];
  });
}

/** The part in the AI SDK's shape: none where it lacks what its kind must have. */
function partOf(part: JsonObject): JsonObject[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return typeof part.text === "string"
        ? [{ type: part.type, text: part.text, ...kept(part, "providerMetadata") }]
        : [];
    case "source":
      return sourceOf(part);
    case "image":
      return fileOf(part.image, mediaTypeOf(part.image), part);
    case "file":
      return fileOf(part.data, typeof part.mimeType === "string" ? part.mimeType : undefined, part);
    case "audio":
      return audioOf(part);
    case "data":
      return typeof part.name === "string"
        ? [{ type: `data-${part.name}`, ...kept(part, "id"), data: part.data ?? null }]
        : [];
    case "generative-ui":
      return [{ type: "data-generative-ui", ...kept(part, "id"), data: part.spec ?? null }];
    default:
      return typeof part.type === "string"
        ? [{ type: part.type.startsWith("data-") ? part.type : `data-${part.type}`, data: part }]
        : [];
  }
}

function sourceOf(part: JsonObject): JsonObject[] {
  const { id, url, title, mediaType } = part;
  if (typeof id !== "string") return [];
  const more = kept(part, "providerMetadata");
  if (part.sourceType === "url") {
    return typeof url === "string"
      ? [{ type: "source-url", sourceId: id, url, ...kept(part, "title"), ...more }]
      : [];
  }
  const isDocument =
    part.sourceType === "document" && typeof title === "string" && typeof mediaType === "string";
  return isDocument
    ? [{ type: "source-document", sourceId: id, mediaType, title, ...kept(part, "filename"), ...more }]
    : [];
}

function fileOf(data: Json | undefined, mediaType: string | undefined, part: JsonObject): JsonObject[] {
  if (typeof data !== "string" || mediaType === undefined) return [];
  return [
    {
      type: "file",
      mediaType,
      url: urlOf(data, mediaType),
      ...kept(part, "filename"),
      ...kept(part, "providerMetadata"),
    },
  ];
}

function audioOf(part: JsonObject): JsonObject[] {
  if (!isJsonObject(part.audio)) return [];
  return fileOf(part.audio.data, part.audio.format === "wav" ? "audio/wav" : "audio/mpeg", part);
}

function toolOf(part: JsonObject, version: "v5" | "v6"): JsonObject[] {
  const { toolCallId, toolName, result } = part;
  if (typeof toolCallId !== "string" || typeof toolName !== "string") return [];
  const asked = version === "v6" ? askedOf(part) : undefined;
  const call = { type: `tool-${toolName}`, toolCallId, input: inputOf(part), ...asked };
  // Asked and not carried out.
  if (asked?.state !== undefined) return [call];
  if (part.isError === true) return [{ ...call, state: "output-error", errorText: errorTextOf(result) }];
  // `false`, 0, "" and null are results.
  if (result !== undefined) return [{ ...call, state: "output-available", output: result }];
  return [{ ...call, state: "input-available" }];
}

/** What a person was asked of a call and said, and the state that this alone makes of it. */
function askedOf({ approval, toolCallId, result }: JsonObject): JsonObject | undefined {
  // Nobody decides any more: for the AI SDK it is a call that was not carried out.
  if (!isJsonObject(approval) || typeof approval.resolution === "string") return undefined;
  const id = typeof approval.id === "string" ? approval.id : toolCallId!;
  if (typeof approval.approved !== "boolean")
    return result === undefined ? { state: "approval-requested", approval: { id } } : undefined;
  const decision = {
    id,
    approved: approval.approved,
    ...kept(approval, "reason"),
    ...kept(approval, "isAutomatic"),
  };
  if (!approval.approved) return { state: "output-denied", approval: decision };
  return { ...(result === undefined ? { state: "approval-responded" } : {}), approval: decision };
}

/** Deeper than anything that is taken in: to write it out would exhaust the stack. */
const nestingMax = 400;

/** The arguments; where the model wrote no JSON that can be told, what it wrote. */
function inputOf(part: JsonObject): Json {
  if (part.args !== undefined) return part.args;
  if (typeof part.argsText !== "string" || part.argsText === "") return {};
  try {
    const args = JSON.parse(part.argsText) as Json;
    return nestsDeeper(args, nestingMax) ? part.argsText : args;
  } catch {
    return part.argsText;
  }
}

function nestsDeeper(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((entry) => nestsDeeper(entry, levels - 1));
}

function errorTextOf(result: Json | undefined): string {
  if (typeof result === "string") return result;
  return result === undefined ? "The tool failed." : JSON.stringify(result);
}

/** An address as it is; plain base64, which the AI SDK has no place for, as a data URL. */
function urlOf(data: string, mediaType: string): string {
  const isBase64 = data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
  return isBase64 ? `data:${mediaType};base64,${data}` : data;
}

function mediaTypeOf(image: Json | undefined): string {
  return (typeof image === "string" ? mediaTypeOfDataUrl(image) : undefined) ?? "image/*";
}

/** The field where the part has it, under its own name. */
function kept(part: JsonObject, field: string): JsonObject {
  const value = part[field];
  return value == null ? {} : { [field]: value };
}
