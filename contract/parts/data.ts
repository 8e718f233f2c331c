import type { Json } from "../json.ts";
import { type AddEvent, type Kind, withStrings } from "./kind.ts";

/** A value that only its application understands, under a name that the application chose. */
export type DataPart = { type: "data"; name: string; data: Json };

export type DataEvent = AddEvent<DataPart>;

const prefix = "data-";

export const data: Kind<DataPart, DataEvent> = {
  text: () => "",
  read: (stored) => withStrings(stored.data === undefined ? { ...stored, data: null } : stored, ["name"]),
  fromAiSdk: ({ type, data }) =>
    typeof type === "string" && type.startsWith(prefix)
      ? { type: "data", name: type.slice(prefix.length), data }
      : undefined,
  fold: { "data-add": (part, event) => part ?? event.data },
};
