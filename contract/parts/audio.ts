import * as z from "zod/mini";
import type { Kind, PartEvent } from "./kind.ts";

/** `data` is base64. */
export type AudioPart = { type: "audio"; audio: { data: string; format: "mp3" | "wav" } };

export type AudioEvent = PartEvent<"audio-add", { audio: AudioPart }>;

export const audioSchema: z.ZodMiniType<AudioPart> = z.looseObject({
  type: z.literal("audio"),
  audio: z.looseObject({ data: z.string(), format: z.enum(["mp3", "wav"]) }),
});

export const audio: Kind<AudioPart, AudioEvent> = {
  text: () => "",
  events: { "audio-add": true },
  fold: (part, event) => part ?? event.audio,
};
