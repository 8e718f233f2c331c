import type { ImagePart } from "#contract/parts/image.ts";
import { fileHandlers } from "./file-handlers.ts";
import type { PartHandlers } from "./kind.ts";

const { line, chunk, ...handlers } = fileHandlers(({ image, filename }: ImagePart) => ({
  data: image,
  mediaType: mediaTypeOfDataUrl(image) ?? "image/*",
  filename,
}));

export const image: PartHandlers<"image"> = {
  ...handlers,
  dataStream: { "image-add": (_, part) => line(part) },
  uiMessageStream: { "image-add": (_, part) => chunk(part) },
};

/** The media type of a data URL, in lower case; `undefined` for any other text. */
function mediaTypeOfDataUrl(url: string): string | undefined {
  return /^data:([\w.+-]+\/[\w.+-]+)[;,]/i.exec(url.slice(0, 200))?.[1]?.toLowerCase();
}
