import type { Json } from "../json.ts";

/**
 * One kind of message part: its stored shape, its text, and its run events. Each kind has one file here, and a file or
 * folder of the same name in `server/parts/` and `web/parts/`.
 */
export type Kind<Part extends { type: string }, Event extends { type: string }> = {
  /** The words that a person reads in this part, for titles and search; "" if there are none. */
  text(part: Part): string;
  /**
   * A part stored as `aui/v0`, if its required fields have the right types. Optional fields with a wrong type are left
   * out. Unknown fields are kept.
   */
  read(stored: UncheckedPart): Part | undefined;
  /** A part of an AI SDK message as input for `read`; `undefined` if it is of another kind. */
  fromAiSdk(part: UncheckedPart): UncheckedPart | undefined;
  /** The part after a run event of each type. `undefined` is a part that has not begun. */
  fold: { [E in Event as E["type"]]: (part: Part | undefined, event: E) => Part | undefined };
};

/** What a client stored: any fields with any values. */
export type UncheckedPart = { [field: string]: Json | undefined };

/** A run event about one part of the reply; `part` is its index in the reply's content. */
export type PartEvent<Type extends string, Data = object> = { type: Type; part: number } & Data;

/** The run event that adds a complete part, for kinds that models do not stream in pieces. */
export type AddEvent<Part extends { type: string }> = PartEvent<
  `${Part["type"]}-add`,
  { [K in Part["type"]]: Part }
>;

/** The part if each `required` field is a string. `optional` fields that are not strings are left out. */
export function withStrings<Part>(
  part: UncheckedPart,
  required: (keyof Part & string)[],
  optional: string[] = [],
): Part | undefined {
  if (!required.every((name) => typeof part[name] === "string")) return undefined;
  const wrong = optional.filter((name) => name in part && typeof part[name] !== "string");
  if (wrong.length === 0) return part as Part;
  return Object.fromEntries(Object.entries(part).filter(([name]) => !wrong.includes(name))) as Part;
}
