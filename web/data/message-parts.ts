import { isJsonObject, type JsonObject } from "#contract/json.ts";
import type { BranchMessage } from "#contract/messages.ts";
import type { Part } from "#contract/parts/kinds.ts";
import { fromAiSdk } from "./stored/ai-sdk.ts";
import { fromAttachment } from "./stored/attachment.ts";
import { readPart } from "./stored/own.ts";

const read = new WeakMap<BranchMessage, readonly Part[]>();

/**
 * The parts of a stored message, in our own words, whichever client wrote it; the same for the same row. What cannot be
 * read is left out: clients store what they like, and one odd part must not take the page down.
 */
export function partsOf(row: BranchMessage): readonly Part[] {
  const known = read.get(row);
  if (known !== undefined) return known;
  const parts = storedParts(row).flatMap((part) => readPart(part) ?? []);
  read.set(row, parts);
  return parts;
}

function storedParts({ format, content }: BranchMessage): JsonObject[] {
  if (format.startsWith("ai-sdk/")) return objects(content.parts).flatMap(fromAiSdk);
  if (typeof content.content === "string") return [{ type: "text", text: content.content }];
  return [...objects(content.content), ...objects(content.attachments).flatMap(fromAttachment)];
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
