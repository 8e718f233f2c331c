import type { PartKind, PartOf } from "#contract/parts/kinds.ts";
import { audio } from "./audio.ts";
import { data } from "./data.ts";
import { file } from "./file.ts";
import { image } from "./image.ts";
import type { PartToModel } from "./kind.ts";
import { reasoning } from "./reasoning.ts";
import { source } from "./source.ts";
import { text } from "./text.ts";
import { toolCall } from "./tool-call.ts";

/** What a model reads of each kind of part. */
export const partsToModel: { [K in PartKind]: PartToModel<PartOf<K>> } = {
  text,
  reasoning,
  source,
  image,
  file,
  audio,
  "tool-call": toolCall,
  data,
};
