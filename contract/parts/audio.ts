import { isJsonObject } from "../json.ts";
import type { AddEvent, Kind } from "./kind.ts";

/** `data` is base64. */
export type AudioPart = { type: "audio"; audio: { data: string; format: "mp3" | "wav" } };

export type AudioEvent = AddEvent<AudioPart>;

export const audio: Kind<AudioPart, AudioEvent> = {
  text: () => "",
  read(stored) {
    if (!isJsonObject(stored.audio)) return undefined;
    const { data, format } = stored.audio;
    const isRead = typeof data === "string" && (format === "mp3" || format === "wav");
    return isRead ? (stored as AudioPart) : undefined;
  },
  // The AI SDK stores sound as files.
  fromAiSdk: () => undefined,
  fold: { "audio-add": (part, event) => part ?? event.audio },
};
