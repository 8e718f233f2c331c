import type { AudioPart } from "#contract/parts/audio.ts";
import { fileHandlers } from "./file-handlers.ts";
import type { PartHandlers } from "./kind.ts";

const mediaTypes = { mp3: "audio/mpeg", wav: "audio/wav" } as const;

const { line, chunk, ...handlers } = fileHandlers(({ audio: { data, format } }: AudioPart) => ({
  data,
  mediaType: mediaTypes[format],
}));

export const audio: PartHandlers<"audio"> = {
  ...handlers,
  dataStream: { "audio-add": (_, part) => line(part) },
  uiMessageStream: { "audio-add": (_, part) => chunk(part) },
};
