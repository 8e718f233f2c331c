import type { AudioPart } from "#contract/parts/audio.ts";
import { nothing, type PartToModel } from "./kind.ts";

const mediaTypes = { mp3: "audio/mpeg", wav: "audio/wav" } as const;

export const audio: PartToModel<AudioPart> = {
  user: (part) => ({ type: "file", data: part.audio.data, mediaType: mediaTypes[part.audio.format] }),
  assistant: nothing,
};
