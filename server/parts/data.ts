import type { DataPart } from "#contract/parts/data.ts";
import { nothing, type PartToModel } from "./kind.ts";

/** Values of an application's own are for its own screens; no model knows what they mean. */
export const data: PartToModel<DataPart> = { user: nothing, assistant: nothing };
