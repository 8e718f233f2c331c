import { metadataOf, openPicture, throwExtractionError } from "./open-picture.ts";
import type { Picture } from "./picture.ts";

const secondsMax = 10;
/** A photograph of 512 pixels then has some 25 kB and no visible artefacts. */
const quality = 75;

/**
 * Makes a small WebP of a picture: upright, the first frame of an animation, without camera metadata. Throws
 * `ExtractionError`.
 */
export async function makePictureThumbnail(bytes: Uint8Array, edge: number): Promise<Picture> {
  await metadataOf(bytes);
  try {
    const small = await openPicture(bytes)
      .timeout({ seconds: secondsMax })
      .autoOrient()
      .resize({ width: edge, height: edge, fit: "inside", withoutEnlargement: true })
      .webp({ quality })
      .toBuffer();
    return { mediaType: "image/webp", bytes: small };
  } catch (error) {
    return throwExtractionError(error);
  }
}
