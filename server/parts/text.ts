import type { TextPart } from "#contract/parts/text.ts";
import { pickFields } from "./pick-fields.ts";
import { nothing, type PartHandlers } from "./kind.ts";
import { closeBlocks } from "./markdown-text.ts";

export const text: PartHandlers<"text"> = {
  user: forModel,
  assistant: forModel,
  aiSdk: (part) => ({ type: "text", text: part.text, ...pickFields(part, "providerMetadata") }),
  markdown: (part) => closeBlocks(part.text.trim()),
  dataStream: {
    "text-start": nothing,
    "text-delta": (event) => ["0", event.text],
    "text-end": nothing,
  },
  uiMessageStream: {
    "text-start": ({ type, part }) => ({ type, id: String(part) }),
    "text-delta": ({ type, part, text: delta }) => ({ type, id: String(part), delta }),
    "text-end": ({ type, part }) => ({ type, id: String(part) }),
  },
};

function forModel(part: TextPart) {
  // Providers refuse empty text parts.
  return part.text === "" ? undefined : ({ type: "text", text: part.text } as const);
}
