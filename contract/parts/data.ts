import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { type AddEvent, type Kind, withStrings } from "./kind.ts";

/** A value that only its application understands, under a name that the application chose. */
export type DataPart = { type: "data"; name: string; data: Json };

export type DataEvent = AddEvent<DataPart>;

const prefix = "data-";

/**
 * A part of a kind that this version does not know, or without a field that its kind requires, as a data part with all that is
 * stored. `undefined` if it has no type, or is the AI SDK's mark between two steps.
 */
export function unknownPart(stored: JsonObject): DataPart | undefined {
  const { type } = stored;
  if (typeof type !== "string" || type === "step-start") return undefined;
  return { type: "data", name: type, data: stored };
}

/** Whether a data part was made by `unknownPart`, or by a client that stores unknown kinds in the same way. */
export function isUnknownPart({ name, data }: DataPart): boolean {
  return isJsonObject(data) && data.type === name;
}

export const data: Kind<DataPart, DataEvent> = {
  text: () => "",
  read: (stored) => withStrings(stored.data === undefined ? { ...stored, data: null } : stored, ["name"]),
  fromAiSdk: ({ type, data }) =>
    typeof type === "string" && type.startsWith(prefix)
      ? { type: "data", name: type.slice(prefix.length), data }
      : undefined,
  fold: { "data-add": (part, event) => part ?? event.data },
};
