import * as z from "zod/mini";
import type { PartKind, PartOf } from "./kinds.ts";

/** The kinds that only answers have. */
type AnswerKind = "reasoning" | "source" | "tool-call";

/** The stored shape (`aui/v0`) of the kinds that people send. Unknown keys are kept. */
export const sentPartSchemas: { [K in Exclude<PartKind, AnswerKind>]: z.ZodMiniType<PartOf<K>> } = {
  text: z.looseObject({ type: z.literal("text"), text: z.string() }),
  image: z.looseObject({ type: z.literal("image"), image: z.string() }),
  file: z.looseObject({ type: z.literal("file"), data: z.string(), mimeType: z.string() }),
  audio: z.looseObject({
    type: z.literal("audio"),
    audio: z.looseObject({ data: z.string(), format: z.enum(["mp3", "wav"]) }),
  }),
  data: z.looseObject({
    type: z.literal("data"),
    name: z.string(),
    data: z.unknown().check(z.describe("Any JSON value.")),
  }) as unknown as z.ZodMiniType<PartOf<"data">>,
};
