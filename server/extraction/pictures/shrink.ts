import { factsOf, openPicture, unreadable } from "./open-picture.ts";
import type { Picture } from "./picture.ts";

const secondsMax = 10;
/** A photograph of 512 pixels has some 25 kB then, and shows it nowhere. */
const quality = 75;

/**
 * Makes a small WebP of a picture: upright, the first frame of those that move, and without what cameras write beside a
 * picture. Throws `FaultError`.
 */
export async function shrinkPicture(bytes: Uint8Array, edge: number): Promise<Picture> {
  await factsOf(bytes);
  try {
    const small = await openPicture(bytes)
      .timeout({ seconds: secondsMax })
      .autoOrient()
      .resize({ width: edge, height: edge, fit: "inside", withoutEnlargement: true })
      .webp({ quality })
      .toBuffer();
    return { mediaType: "image/webp", bytes: small };
  } catch (error) {
    return unreadable(error);
  }
}
