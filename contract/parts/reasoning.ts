import * as z from "zod/mini";
import type { Kind, PartEvent } from "./kind.ts";

/** What a model thinks before it answers. How long it thought is ours, so it stands under our own name. */
export type ReasoningPart = {
  type: "reasoning";
  text: string;
  providerMetadata?: { parlance?: { durationMs?: number } };
};

export type ReasoningEvent =
  | PartEvent<"reasoning-start">
  | PartEvent<"reasoning-delta", { text: string }>
  | PartEvent<"reasoning-end", { duration_ms: number }>;

export const reasoningSchema: z.ZodMiniType<ReasoningPart> = z.looseObject({
  type: z.literal("reasoning"),
  text: z.string(),
});

export const reasoning: Kind<ReasoningPart, ReasoningEvent> = {
  text: () => "",
  events: { "reasoning-start": true, "reasoning-delta": true, "reasoning-end": true },
  fold(part, event) {
    if (event.type === "reasoning-start") return part ?? { type: "reasoning", text: "" };
    if (part === undefined) return undefined;
    if (event.type === "reasoning-delta") return { ...part, text: part.text + event.text };
    return { ...part, providerMetadata: { parlance: { durationMs: event.duration_ms } } };
  },
};
