import type { Part } from "#contract/parts/kinds.ts";
import type { ModelAssistantPart, ModelUserPart } from "./model-message.ts";

/**
 * What a model is told of a stored part of one kind, by who said it; `undefined` where it is told nothing. Stored parts
 * come from clients too, so fields beyond the kind's schema may be anything.
 */
export type PartToModel<P extends Part> = {
  user(part: P): ModelUserPart | undefined;
  assistant(part: P): ModelAssistantPart | undefined;
};

export function nothing(): undefined {
  return undefined;
}
