import * as z from "zod/mini";
import { described, jsonObject } from "../endpoints/fields.ts";
import type { PartKind, PartOf } from "./kinds.ts";

/** Kinds that occur only in answers. */
type AnswerPartKind = "reasoning" | "source" | "tool-call";

/** The stored shape (`aui/v0`) of the kinds that people send. Unknown keys are kept. */
const sentPartSchemas: { [K in Exclude<PartKind, AnswerPartKind>]: z.ZodMiniType<PartOf<K>> } = {
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
    data: described(z.unknown(), "Any JSON value."),
  }) as unknown as z.ZodMiniType<PartOf<"data">>,
};

const userPart = z.discriminatedUnion("type", Object.values(sentPartSchemas) as never);

/** The shape of `userContent`, for the API reference. */
export const userContentShape = z.looseObject({
  role: z.literal("user"),
  content: z.array(z.union(Object.values(sentPartSchemas))).check(z.minLength(1)),
});

/** `aui/v0` content of a message with the role user and at least one part. */
export const userContent = jsonObject.check(
  z.refine((content) => content.role === "user", { path: ["role"], message: 'must be "user"' }),
  z.refine((content) => Array.isArray(content.content) && content.content.length > 0, {
    path: ["content"],
    message: "must be a list of at least one part",
  }),
  z.refine(
    (content) =>
      !Array.isArray(content.content) || content.content.every((part) => z.safeParse(userPart, part).success),
    {
      path: ["content"],
      message: `each part must have one of the types ${Object.keys(sentPartSchemas).join(", ")}, and its fields`,
    },
  ),
);
