import type { Json } from "../json.ts";
import { audio } from "./audio.ts";
import { data } from "./data.ts";
import { file } from "./file.ts";
import { image } from "./image.ts";
import type { Kind } from "./kind.ts";
import { reasoning } from "./reasoning.ts";
import { source } from "./source.ts";
import { text } from "./text.ts";
import { toolCall } from "./tool-call.ts";

/** Every kind of message part. The types below follow from this list. */
export const kinds = {
  text,
  reasoning,
  source,
  image,
  file,
  audio,
  "tool-call": toolCall,
  data,
};

export type PartKind = keyof typeof kinds;
export type PartOf<K extends PartKind> = Parts[K];
export type Part = Parts[PartKind];
export type PartEventOf<K extends PartKind> = Events[K];
export type AnyPartEvent = Events[PartKind];

type Parts = { [K in PartKind]: (typeof kinds)[K] extends Kind<infer P, infer _> ? P : never };
type Events = { [K in PartKind]: (typeof kinds)[K] extends Kind<infer _, infer Event> ? Event : never };

/** The kinds that one event adds complete. Models stream the other kinds in pieces. */
export type WholeKind = { [K in PartKind]: `${K}-add` extends PartEventOf<K>["type"] ? K : never }[PartKind];
export type WholePart = PartOf<WholeKind>;

/** The event that adds `part` at `index` of the reply's content. */
export function addEvent(index: number, part: WholePart): AnyPartEvent {
  return { type: `${part.type}-add`, part: index, [part.type]: part } as unknown as AnyPartEvent;
}

export function isPartKind(type: Json | undefined): type is PartKind {
  return typeof type === "string" && Object.hasOwn(kinds, type);
}

/**
 * The part after `event`. Returns `part` itself if the event is out of place: it is of another kind, of a type that this
 * version does not know, or comes before the part begins.
 */
export function foldPart(part: Part | undefined, event: AnyPartEvent): Part | undefined {
  const kind = kindOfEvent.get(event.type);
  if (kind === undefined || (part !== undefined && part.type !== kind)) return part;
  // The list pairs each kind with its own part and events; TypeScript cannot follow the pair through the lookup.
  const folds = kinds[kind].fold as Record<string, typeof foldPart>;
  return folds[event.type]!(part, event);
}

const kindOfEvent = new Map<string, PartKind>(
  Object.entries(kinds).flatMap(([kind, { fold }]) =>
    Object.keys(fold).map((type): [string, PartKind] => [type, kind as PartKind]),
  ),
);
