import { type Kind, type PartEvent, withStrings } from "./kind.ts";

export type TextPart = { type: "text"; text: string };

export type TextEvent =
  | PartEvent<"text-start">
  | PartEvent<"text-delta", { text: string }>
  | PartEvent<"text-end">;

export const text: Kind<TextPart, TextEvent> = {
  text: (part) => part.text,
  read: (stored) => withStrings(stored, ["text"]),
  fromAiSdk: ({ type, text }) => (type === "text" ? { type, text } : undefined),
  fold: {
    "text-start": (part) => part ?? { type: "text", text: "" },
    "text-delta": (part, event) => part && { ...part, text: part.text + event.text },
    "text-end": (part) => part,
  },
};
