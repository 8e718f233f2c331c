import { pickFields } from "./pick-fields.ts";
import { nothing, type PartHandlers } from "./kind.ts";
import { folded } from "./markdown-text.ts";

export const reasoning: PartHandlers<"reasoning"> = {
  user: nothing,
  assistant: (part) => (part.text === "" ? undefined : { type: "reasoning", text: part.text }),
  aiSdk: (part) => ({ type: "reasoning", text: part.text, ...pickFields(part, "providerMetadata") }),
  markdown: (part) => (part.text.trim() === "" ? "" : folded("Reasoning", part.text.trim())),
  dataStream: {
    "reasoning-start": nothing,
    "reasoning-delta": (event) => ["g", event.text],
    "reasoning-end": nothing,
  },
  uiMessageStream: {
    "reasoning-start": ({ type, part }) => ({ type, id: String(part) }),
    "reasoning-delta": ({ type, part, text: delta }) => ({ type, id: String(part), delta }),
    "reasoning-end": ({ type, part }) => ({ type, id: String(part) }),
  },
};
