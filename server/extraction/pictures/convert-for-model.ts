import { extractionLimits } from "../limits.ts";
import { metadataOf, openPicture, throwExtractionError } from "./open-picture.ts";
import type { Picture } from "./picture.ts";

type Metadata = Awaited<ReturnType<typeof metadataOf>>;

const secondsMax = 15;

/**
 * Converts a picture to a format that every vision model accepts: PNG or JPEG, upright, at most `edge` pixels wide and
 * high, the first frame of an animation, without camera metadata such as the place. A picture that already
 * meets this is returned unchanged. Throws `ExtractionError`.
 */
export async function convertPictureForModel(bytes: Uint8Array, edge: number): Promise<Picture> {
  const metadata = await metadataOf(bytes);
  const picture = await convert(bytes, edge, metadata);
  // In other formats, the library counts the frames of an animation as pages.
  const { pages = 1 } = metadata;
  return metadata.format === "tiff" && pages > 1 ? { ...picture, pages } : picture;
}

async function convert(
  bytes: Uint8Array,
  edge: number,
  { format, width, height, orientation = 1, exif, xmp, iptc, hasAlpha }: Metadata,
): Promise<Picture> {
  const isAccepted = format === "jpeg" || format === "png";
  const hasMetadata = [exif, xmp, iptc].some((extra) => extra !== undefined);
  const isSmall = Math.max(width, height) <= edge && bytes.length <= extractionLimits.pictureBytesMax;
  try {
    if (isAccepted && !hasMetadata && isSmall && orientation === 1) {
      // Decodes all of it: a provider refuses a whole request for one truncated picture.
      await openPicture(bytes).timeout({ seconds: secondsMax }).stats();
      return { mediaType: format === "png" ? "image/png" : "image/jpeg", bytes: Buffer.from(bytes) };
    }
    const scaled = openPicture(bytes)
      .timeout({ seconds: secondsMax })
      .autoOrient()
      .resize({ width: edge, height: edge, fit: "inside", withoutEnlargement: true });
    if (format !== "jpeg" && hasAlpha) {
      const png = await scaled.clone().png().toBuffer();
      if (png.length <= extractionLimits.pictureBytesMax) return { mediaType: "image/png", bytes: png };
    }
    return {
      mediaType: "image/jpeg",
      bytes: await scaled.flatten({ background: "white" }).jpeg({ quality: 85 }).toBuffer(),
    };
  } catch (error) {
    return throwExtractionError(error);
  }
}
