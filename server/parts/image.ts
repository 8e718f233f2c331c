import type { ImagePart } from "#contract/parts/image.ts";
import { mediaTypeOfDataUrl } from "./data-url.ts";
import { nothing, type PartToModel } from "./kind.ts";

export const image: PartToModel<ImagePart> = {
  user: (part) => ({
    type: "file",
    data: part.image,
    mediaType: mediaTypeOfDataUrl(part.image) ?? "image/*",
    ...(part.filename === undefined ? {} : { filename: part.filename }),
  }),
  // No provider takes back the pictures that a model made.
  assistant: nothing,
};
