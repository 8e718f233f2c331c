import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import type { Part, PartKind, PartOf } from "#contract/parts/kinds.ts";

/** A stored part, where it has what its kind is made of. */
export function readPart(part: JsonObject): Part | undefined {
  if (typeof part.type !== "string" || !Object.hasOwn(readers, part.type)) return undefined;
  return readers[part.type as PartKind](part);
}

/** A kind missing here does not compile. */
const readers: { [K in PartKind]: (part: JsonObject) => PartOf<K> | undefined } = {
  text: (part) => whole(part, "text"),
  reasoning: (part) => whole(part, "text"),
  source: (part) =>
    part.sourceType === "document" ? whole(part, "id", "title", "mediaType") : whole(part, "id", "url"),
  image: (part) => whole(part, "image"),
  file: (part) => whole(part, "data", "mimeType"),
  audio: (part) => (isAudio(part.audio) ? (part as PartOf<"audio">) : undefined),
  "tool-call": (part) => {
    const call = whole<PartOf<"tool-call">>(part, "toolCallId", "toolName");
    return call && { ...call, argsText: argsText(part) };
  },
  data: (part) => whole(part, "name"),
};

/** The part, where each of these fields is a text. */
function whole<P extends Part>(part: JsonObject, ...texts: string[]): P | undefined {
  return texts.every((name) => typeof part[name] === "string") ? (part as P) : undefined;
}

function isAudio(audio: Json | undefined): boolean {
  return (
    isJsonObject(audio) &&
    typeof audio.data === "string" &&
    (audio.format === "mp3" || audio.format === "wav")
  );
}

/** Clients store the model's own words only where they differ from the arguments as JSON. */
function argsText(part: JsonObject): string {
  if (typeof part.argsText === "string") return part.argsText;
  return part.args === undefined ? "" : JSON.stringify(part.args);
}
