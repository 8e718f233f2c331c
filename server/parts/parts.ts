import * as z from "zod/mini";
import { isJsonObject } from "#contract/json.ts";
import { kinds, type Part, type PartKind, type PartOf } from "#contract/parts/kinds.ts";
import { partSchemas } from "#contract/parts/schemas.ts";
import { audio } from "./audio.ts";
import { data } from "./data.ts";
import { file } from "./file.ts";
import { image } from "./image.ts";
import type { PartToModel } from "./kind.ts";
import { reasoning } from "./reasoning.ts";
import { source } from "./source.ts";
import { text } from "./text.ts";
import { toolCall } from "./tool-call.ts";
import { fromAiSdk } from "./ai-sdk.ts";

/** What a model is told of each kind of part. A kind missing here does not compile. */
export const partsToModel: { [K in PartKind]: PartToModel<PartOf<K>> } = {
  text,
  reasoning,
  source,
  image,
  file,
  audio,
  "tool-call": toolCall,
  data,
};

/**
 * The parts of a stored message, attachments left out, in the shapes of our own format whatever the format they were
 * stored in. Parts that cannot be read are skipped; never throws.
 */
export function partsOf(format: string, content: unknown): Part[] {
  if (!isJsonObject(content)) return [];
  if (Array.isArray(content.parts) && format !== "aui/v0") return readParts(content.parts.map(fromAiSdk));
  if (Array.isArray(content.content)) return readParts(content.content);
  if (typeof content.content === "string") return [{ type: "text", text: content.content }];
  return [];
}

/** The parts of a stored user message's attachments. */
export function attachedPartsOf(content: unknown): Part[] {
  if (!isJsonObject(content) || !Array.isArray(content.attachments)) return [];
  return content.attachments.flatMap((attachment) =>
    isJsonObject(attachment) && Array.isArray(attachment.content) ? readParts(attachment.content) : [],
  );
}

/** What a person reads in a stored message: its text parts. For titles, search and copying. Never throws. */
export function plainText(format: string, content: unknown): string {
  return partsOf(format, content)
    .map((part) => textOf(part))
    .filter((words) => words !== "")
    .join("\n\n");
}

/** Those of `values` that are parts of a kind we know, as that kind's schema has it. */
export function readParts(values: readonly unknown[]): Part[] {
  return values.filter((value): value is Part => {
    if (!isJsonObject(value) || typeof value.type !== "string" || !Object.hasOwn(kinds, value.type))
      return false;
    return z.safeParse(partSchemas[value.type as PartKind], value).success;
  });
}

function textOf(part: Part): string {
  // The table pairs each kind with its own part; TypeScript cannot follow the pair through the lookup.
  return (kinds[part.type].text as (part: Part) => string)(part);
}
