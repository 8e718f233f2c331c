import type { PartKind } from "#contract/parts/kinds.ts";
import { AudioView } from "./audio.tsx";
import { DataView } from "./data.tsx";
import { FileView } from "./file.tsx";
import { ImageView } from "./image.tsx";
import { ReasoningView } from "./reasoning.tsx";
import { SourceView } from "./source.tsx";
import { TextView } from "./text.tsx";
import { ToolCallView } from "./tool-call.tsx";
import type { PartView } from "./view.ts";

/** How each part kind looks. A kind missing here does not compile. */
export const partViews: { [K in PartKind]: PartView<K> } = {
  text: TextView,
  reasoning: ReasoningView,
  source: SourceView,
  image: ImageView,
  file: FileView,
  audio: AudioView,
  "tool-call": ToolCallView,
  data: DataView,
};
