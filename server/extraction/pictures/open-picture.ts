import sharp, { type Sharp } from "sharp";
import { extractionLimits } from "../limits.ts";
import { ExtractionError } from "../extraction-error.ts";

/** The library supports more formats. Each one is attack surface. */
const allowedFormats = new Set(["jpeg", "png", "webp", "gif", "tiff", "heif", "avif"]);

sharp.cache(false);
// Only the decoders of these formats, whatever the library detects.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: [
    "VipsForeignLoadJpegBuffer",
    "VipsForeignLoadPngBuffer",
    "VipsForeignLoadWebpBuffer",
    "VipsForeignLoadNsgifBuffer",
    "VipsForeignLoadTiffBuffer",
    "VipsForeignLoadHeifBuffer",
  ],
});

/** Opens a picture without decoding it yet; of an animation, the first frame. */
export function openPicture(bytes: Uint8Array): Sharp {
  return sharp(bytes, { limitInputPixels: extractionLimits.picturePixelsMax, failOn: "error" });
}

/** Reads the picture's metadata. Throws `ExtractionError`. */
export async function metadataOf(bytes: Uint8Array) {
  const metadata = await openPicture(bytes).metadata().catch(throwExtractionError);
  if (!allowedFormats.has(metadata.format)) throw new ExtractionError("kind");
  return metadata;
}

/** Maps an error of the library to an `ExtractionError`. */
export function throwExtractionError(error: unknown): never {
  const message = error instanceof Error ? error.message : "";
  if (/pixel limit|timeout/i.test(message)) throw new ExtractionError("too-large", { cause: error });
  // Not a picture, or one of an iPhone in HEVC, which the library excludes because of patents.
  const isKind = /unsupported image format|compression format|bad seek|heif: /i.test(message);
  throw new ExtractionError(isKind ? "kind" : "damaged", { cause: error });
}
