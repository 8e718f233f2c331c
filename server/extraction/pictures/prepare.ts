import { bounds } from "../bounds.ts";
import { factsOf, openPicture, unreadable } from "./open-picture.ts";
import type { Picture } from "./picture.ts";

const secondsMax = 15;

/**
 * Makes of a picture what every model that reads pictures takes: PNG or JPEG, upright, no larger than models look at,
 * the first frame of those that move. One that is like that already is given as it is; what cameras write beside a
 * picture (where it was taken, with what) does not go along. Throws `FaultError`.
 */
export async function preparePicture(bytes: Uint8Array, edge: number): Promise<Picture> {
  const facts = await factsOf(bytes);
  const picture = await prepared(bytes, edge, facts);
  // Frames of what moves are no pages.
  const { pages = 1 } = facts;
  return facts.format === "tiff" && pages > 1 ? { ...picture, pages } : picture;
}

async function prepared(
  bytes: Uint8Array,
  edge: number,
  facts: Awaited<ReturnType<typeof factsOf>>,
): Promise<Picture> {
  const isUsual = facts.format === "jpeg" || facts.format === "png";
  const isBare = [facts.exif, facts.xmp, facts.iptc].every((extra) => extra === undefined);
  const isSmall = Math.max(facts.width, facts.height) <= edge && bytes.length <= bounds.pictureBytes;
  try {
    if (isUsual && isBare && isSmall && (facts.orientation ?? 1) === 1) {
      // Whole to the last line, or the provider refuses all of the request.
      await openPicture(bytes).timeout({ seconds: secondsMax }).stats();
      return { mediaType: facts.format === "png" ? "image/png" : "image/jpeg", bytes: Buffer.from(bytes) };
    }
    const scaled = openPicture(bytes)
      .timeout({ seconds: secondsMax })
      .autoOrient()
      .resize({ width: edge, height: edge, fit: "inside", withoutEnlargement: true });
    if (facts.format !== "jpeg" && facts.hasAlpha) {
      const png = await scaled.clone().png().toBuffer();
      if (png.length <= bounds.pictureBytes) return { mediaType: "image/png", bytes: png };
    }
    return {
      mediaType: "image/jpeg",
      bytes: await scaled.flatten({ background: "white" }).jpeg({ quality: 85 }).toBuffer(),
    };
  } catch (error) {
    return unreadable(error);
  }
}
