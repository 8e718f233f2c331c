import type { SourcePart } from "#contract/parts/source.ts";
import { nothing, type PartToModel } from "./kind.ts";

/** Sources are for people: what they said is in the text that cites them. */
export const source: PartToModel<SourcePart> = { user: nothing, assistant: nothing };
