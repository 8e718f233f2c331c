import type { PartKind } from "#contract/parts/kinds.ts";
import { AudioView } from "./audio/audio.tsx";
import { DataView } from "./data.tsx";
import { FileView } from "./file/file.tsx";
import { ImageView } from "./image.tsx";
import { ReasoningView } from "./reasoning.tsx";
import { SourceView } from "./source.tsx";
import { TextView } from "./text.tsx";
import { ToolCallView } from "./tool-call/tool-call.tsx";
import type { PartView } from "./part-view.ts";

/** The view of each part kind. */
export const partViews: { [K in PartKind]: PartView<K> } = {
  text: { View: TextView, inUserMessage: "within" },
  reasoning: { View: ReasoningView, inUserMessage: "nowhere" },
  source: { View: SourceView, inUserMessage: "nowhere" },
  image: { View: ImageView, inUserMessage: "above" },
  file: { View: FileView, inUserMessage: "above" },
  audio: { View: AudioView, inUserMessage: "above" },
  "tool-call": { View: ToolCallView, inUserMessage: "nowhere" },
  data: { View: DataView, inUserMessage: "within" },
};
