import { audio, type AudioEvent, type AudioPart } from "./audio.ts";
import { data, type DataEvent, type DataPart } from "./data.ts";
import { file, type FileEvent, type FilePart } from "./file.ts";
import { image, type ImageEvent, type ImagePart } from "./image.ts";
import type { Kind } from "./kind.ts";
import { reasoning, type ReasoningEvent, type ReasoningPart } from "./reasoning.ts";
import { source, type SourceEvent, type SourcePart } from "./source.ts";
import { text, type TextEvent, type TextPart } from "./text.ts";
import { toolCall, type ToolCallEvent, type ToolCallPart } from "./tool-call.ts";

/** Every part kind: its stored part and its run events. A kind missing from a list below does not compile. */
type Kinds = {
  text: [TextPart, TextEvent];
  reasoning: [ReasoningPart, ReasoningEvent];
  source: [SourcePart, SourceEvent];
  image: [ImagePart, ImageEvent];
  file: [FilePart, FileEvent];
  audio: [AudioPart, AudioEvent];
  "tool-call": [ToolCallPart, ToolCallEvent];
  data: [DataPart, DataEvent];
};

export type PartKind = keyof Kinds;
export type PartOf<K extends PartKind> = Kinds[K][0];
export type Part = Kinds[PartKind][0];
export type PartEventOf<K extends PartKind> = Kinds[K][1];
export type AnyPartEvent = Kinds[PartKind][1];

export const kinds: { [K in PartKind]: Kind<PartOf<K>, PartEventOf<K>> } = {
  text,
  reasoning,
  source,
  image,
  file,
  audio,
  "tool-call": toolCall,
  data,
};

const kindOfEvent = new Map<string, PartKind>(
  (Object.keys(kinds) as PartKind[]).flatMap((kind) =>
    Object.keys(kinds[kind].events).map((type) => [type, kind]),
  ),
);

/** The kind of part that an event of `type` builds; `undefined` for an event of the run itself. */
export function partKindOfEvent(type: string): PartKind | undefined {
  return kindOfEvent.get(type);
}
