import type { Part, PartKind } from "#contract/parts/kinds.ts";
import { audio } from "./audio.ts";
import { data } from "./data.ts";
import { file } from "./file.ts";
import { image } from "./image.ts";
import type { PartHandlers } from "./kind.ts";
import { reasoning } from "./reasoning.ts";
import { source } from "./source.ts";
import { text } from "./text.ts";
import { toolCall } from "./tool-call.ts";

/** The server's handlers of every part kind. */
export const partHandlers: { [K in PartKind]: PartHandlers<K> } = {
  text,
  reasoning,
  source,
  image,
  file,
  audio,
  "tool-call": toolCall,
  data,
};

export function handlersOf(
  part: Part,
): Pick<PartHandlers<PartKind>, "user" | "assistant" | "aiSdk" | "markdown"> {
  // Each handler gets only parts of its own kind, but TypeScript cannot infer that through the lookup.
  return partHandlers[part.type];
}
