import type { TextPart } from "#contract/parts/text.ts";
import type { PartToModel } from "./kind.ts";

export const text: PartToModel<TextPart> = { user: say, assistant: say };

function say(part: TextPart) {
  // Providers refuse empty text parts.
  return part.text === "" ? undefined : ({ type: "text", text: part.text } as const);
}
