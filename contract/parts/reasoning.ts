import { type Kind, type PartEvent, withStrings } from "./kind.ts";

/** What a model thinks before it answers. The format has no field for how long it took, so that is in our metadata. */
export type ReasoningPart = {
  type: "reasoning";
  text: string;
  providerMetadata?: { parlance?: { durationMs?: number } };
};

export type ReasoningEvent =
  | PartEvent<"reasoning-start">
  | PartEvent<"reasoning-delta", { text: string }>
  | PartEvent<"reasoning-end", { duration_ms: number }>;

export const reasoning: Kind<ReasoningPart, ReasoningEvent> = {
  text: () => "",
  read: (stored) => withStrings(stored, ["text"]),
  fromAiSdk: ({ type, text }) => (type === "reasoning" ? { type, text } : undefined),
  fold: {
    "reasoning-start": (part) => part ?? { type: "reasoning", text: "" },
    "reasoning-delta": (part, event) => part && { ...part, text: part.text + event.text },
    "reasoning-end": (part, event) =>
      part && { ...part, providerMetadata: { parlance: { durationMs: event.duration_ms } } },
  },
};
