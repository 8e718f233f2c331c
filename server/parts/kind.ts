import type { Json, JsonObject } from "#contract/json.ts";
import type { PartEventOf, PartKind, PartOf } from "#contract/parts/kinds.ts";
import type { ModelAssistantPart, ModelUserPart } from "./model-message.ts";

/** Everything that the server does with parts of one kind. `undefined` and "" leave the part out. */
export type PartHandlers<K extends PartKind> = {
  /** What a model reads of the part in a person's message. */
  user(part: PartOf<K>): ModelUserPart | undefined;
  /** What a model reads of the part in an answer. */
  assistant(part: PartOf<K>): ModelAssistantPart | undefined;
  /** The part in a message of the AI SDK. */
  aiSdk(part: PartOf<K>, version: AiSdkVersion): JsonObject | undefined;
  /** The part in a Markdown export. `nested` writes the messages within a part. */
  markdown(part: PartOf<K>, places: FilePlaces, nested: (messages: Json) => string): string;
  /** Each run event of the kind as a line of the protocol's data stream. */
  dataStream: EventHandlers<K, DataStreamLine>;
  /** Each run event of the kind as a chunk of the protocol's UI message stream. */
  uiMessageStream: EventHandlers<K, JsonObject>;
};

export type AiSdkVersion = "v5" | "v6";

/** Where the files of an export are, by file id, relative to the Markdown. */
export type FilePlaces = ReadonlyMap<string, string>;

export type DataStreamLine = readonly [code: string, value: Json];

/** `part` is the part after the event. */
type EventHandlers<K extends PartKind, Encoded> = {
  [E in PartEventOf<K> as E["type"]]: (event: E, part: PartOf<K>) => Encoded | undefined;
};

export function nothing(): undefined {
  return undefined;
}
