import * as z from "zod/mini";
import type { Kind, PartEvent } from "./kind.ts";

/** `image` is an address or a data URL. */
export type ImagePart = { type: "image"; image: string; filename?: string };

export type ImageEvent = PartEvent<"image-add", { image: ImagePart }>;

export const imageSchema: z.ZodMiniType<ImagePart> = z.looseObject({
  type: z.literal("image"),
  image: z.string(),
});

export const image: Kind<ImagePart, ImageEvent> = {
  text: () => "",
  events: { "image-add": true },
  fold: (part, event) => part ?? event.image,
};
