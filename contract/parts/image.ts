import * as z from "zod/mini";
import type { Kind, PartEvent } from "./kind.ts";

/** `image` is an address or a data URL. */
export type ImagePart = { type: "image"; image: string; filename?: string };

export type ImageEvent = PartEvent<"image-add", { image: ImagePart }>;

export const image: Kind<ImagePart, ImageEvent> = {
  schema: z.looseObject({ type: z.literal("image"), image: z.string() }) as unknown as z.ZodMiniType<ImagePart>,
  text: () => "",
  events: { "image-add": true },
  fold: (part, event) => part ?? event.image,
};
