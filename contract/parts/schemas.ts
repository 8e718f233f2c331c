import type * as z from "zod/mini";
import { audioSchema } from "./audio.ts";
import { dataSchema } from "./data.ts";
import { fileSchema } from "./file.ts";
import { imageSchema } from "./image.ts";
import type { PartKind, PartOf } from "./kinds.ts";
import { reasoningSchema } from "./reasoning.ts";
import { sourceSchema } from "./source.ts";
import { textSchema } from "./text.ts";
import { toolCallSchema } from "./tool-call.ts";

/** The stored shape (`aui/v0`) of every part kind. Unknown keys are kept. */
export const partSchemas: { [K in PartKind]: z.ZodMiniType<PartOf<K>> } = {
  text: textSchema,
  reasoning: reasoningSchema,
  source: sourceSchema,
  image: imageSchema,
  file: fileSchema,
  audio: audioSchema,
  "tool-call": toolCallSchema,
  data: dataSchema,
};
