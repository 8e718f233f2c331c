import type { Part } from "#contract/parts/kinds.ts";
import type { ModelAssistantPart, ModelUserPart } from "./model-message.ts";

/** What a model reads of a part of one kind in a message of this role; `undefined` for nothing. */
export type PartToModel<P extends Part> = {
  user(part: P): ModelUserPart | undefined;
  assistant(part: P): ModelAssistantPart | undefined;
};

export function nothing(): undefined {
  return undefined;
}
