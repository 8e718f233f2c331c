import { isJsonObject, type JsonObject } from "../json.ts";
import { unknownPart } from "./data.ts";
import { isPartKind, kinds, type Part } from "./kinds.ts";

/** An attachment of a message. Its pictures and files have its name, unless they have one of their own. */
export type StoredAttachment = { name?: string; mediaType?: string; parts: Part[] };

/**
 * The parts of a stored message and of its attachments in the shapes of `aui/v0`, whichever format its client stored
 * (`aui/v0`, `ai-sdk/v5`, `ai-sdk/v6`, or plain text). Parts that cannot be read are data parts. Never throws.
 */
export function readStored(
  format: string,
  content: unknown,
): { parts: Part[]; attached: StoredAttachment[] } {
  if (!isJsonObject(content)) return { parts: [], attached: [] };
  return { parts: readParts(format, content), attached: objectsIn(content.attachments).map(readAttachment) };
}

/** A part stored as `aui/v0`, if its kind is known and its required fields are valid. */
export function readPart(stored: unknown): Part | undefined {
  return isJsonObject(stored) && isPartKind(stored.type) ? kinds[stored.type].read(stored) : undefined;
}

/** What a person reads in a stored message, without its attachments: for titles and search. Never throws. */
export function plainText(format: string, content: unknown): string {
  return readStored(format, content)
    .parts.map(textOf)
    .filter((text) => text !== "")
    .join("\n\n");
}

/** The id of the answer that a person edited by hand to write this one. Never throws. */
export function editedFrom(content: unknown): string | undefined {
  const metadata = isJsonObject(content) ? content.metadata : undefined;
  const custom = isJsonObject(metadata) ? metadata.custom : undefined;
  const from = isJsonObject(custom) ? custom.edited_from : undefined;
  return typeof from === "string" ? from : undefined;
}

function readParts(format: string, content: JsonObject): Part[] {
  if (Array.isArray(content.parts) && format !== "aui/v0")
    return objectsIn(content.parts).flatMap((part) => readAiSdkPart(part) ?? unknownPart(part) ?? []);
  if (typeof content.content === "string") return [{ type: "text", text: content.content }];
  return objectsIn(content.content).flatMap((part) => readPart(part) ?? unknownPart(part) ?? []);
}

function readAiSdkPart(part: JsonObject): Part | undefined {
  for (const kind of Object.values(kinds)) {
    const own = kind.fromAiSdk(part);
    if (own === undefined) continue;
    return kind.read(Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)));
  }
  return undefined;
}

function readAttachment({ name, contentType, content }: JsonObject): StoredAttachment {
  const named = typeof name === "string" ? { filename: name } : {};
  return {
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof contentType === "string" ? { mediaType: contentType } : {}),
    parts: objectsIn(content).flatMap((part) => readPart({ ...named, ...part }) ?? unknownPart(part) ?? []),
  };
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textOf(part: Part): string {
  // The list pairs each kind with its own part; TypeScript cannot follow the pair through the lookup.
  return (kinds[part.type].text as (part: Part) => string)(part);
}
