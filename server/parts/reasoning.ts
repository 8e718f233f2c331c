import type { ReasoningPart } from "#contract/parts/reasoning.ts";
import { nothing, type PartToModel } from "./kind.ts";

export const reasoning: PartToModel<ReasoningPart> = {
  user: nothing,
  assistant: (part) => (part.text === "" ? undefined : { type: "reasoning", text: part.text }),
};
