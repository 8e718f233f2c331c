import * as z from "zod/mini";
import type { Kind, PartEvent } from "./kind.ts";

export type TextPart = { type: "text"; text: string };

export type TextEvent =
  | PartEvent<"text-start">
  | PartEvent<"text-delta", { text: string }>
  | PartEvent<"text-end">;

export const textSchema: z.ZodMiniType<TextPart> = z.looseObject({
  type: z.literal("text"),
  text: z.string(),
});

export const text: Kind<TextPart, TextEvent> = {
  text: (part) => part.text,
  events: { "text-start": true, "text-delta": true, "text-end": true },
  fold(part, event) {
    if (event.type === "text-start") return part ?? { type: "text", text: "" };
    if (part === undefined || event.type === "text-end") return part;
    return { ...part, text: part.text + event.text };
  },
};
