import { type AddEvent, type Kind, withStrings } from "./kind.ts";

/** `image` is a URL or a data URL. */
export type ImagePart = { type: "image"; image: string; filename?: string };

export type ImageEvent = AddEvent<ImagePart>;

export const image: Kind<ImagePart, ImageEvent> = {
  text: () => "",
  read: (stored) => withStrings(stored, ["image"], ["filename"]),
  // The AI SDK stores pictures as files. They stay files, because an image part has no media type.
  fromAiSdk: () => undefined,
  fold: { "image-add": (part, event) => part ?? event.image },
};
