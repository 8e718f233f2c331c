import * as z from "zod/mini";
import type { Json } from "../json.ts";
import type { Kind, PartEvent } from "./kind.ts";

/** A value of an application's own, under a name that it chose. */
export type DataPart = { type: "data"; name: string; data: Json };

export type DataEvent = PartEvent<"data-add", { data: DataPart }>;

export const dataSchema: z.ZodMiniType<DataPart> = z.looseObject({
  type: z.literal("data"),
  name: z.string(),
  data: z.unknown().check(z.describe("Any JSON value.")),
}) as unknown as z.ZodMiniType<DataPart>;

export const data: Kind<DataPart, DataEvent> = {
  text: () => "",
  events: { "data-add": true },
  fold: (part, event) => part ?? event.data,
};
