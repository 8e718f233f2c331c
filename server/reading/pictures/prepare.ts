import sharp, { type Sharp } from "sharp";
import { bounds } from "../bounds.ts";
import { FaultError } from "../office/fault.ts";
import type { Picture } from "./pictures.ts";

/** What is opened; the library knows more, and each is one more way in. */
const opened = new Set(["jpeg", "png", "webp", "gif", "tiff", "heif", "avif"]);
const secondsMax = 15;

sharp.cache(false);
// Nothing but pictures, and nothing by its own choice of format.
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

/**
 * Makes of a picture what every model that reads pictures takes: PNG or JPEG, upright, no larger than models look at,
 * the first frame of those that move. One that is like that already is given as it is; what cameras write beside a
 * picture (where it was taken, with what) does not go along. Throws `FaultError`.
 */
export async function preparePicture(bytes: Uint8Array, edge: number): Promise<Picture> {
  const open = (): Sharp => sharp(bytes, { limitInputPixels: bounds.picturePixels, failOn: "error" });
  const facts = await open().metadata().catch(unreadable);
  if (!opened.has(facts.format)) throw new FaultError("kind");
  const isUsual = facts.format === "jpeg" || facts.format === "png";
  const isBare = [facts.exif, facts.xmp, facts.iptc].every((extra) => extra === undefined);
  const isSmall = Math.max(facts.width, facts.height) <= edge && bytes.length <= bounds.pictureBytes;
  try {
    if (isUsual && isBare && isSmall && (facts.orientation ?? 1) === 1) {
      // Whole to the last line, or the provider refuses all of the request.
      await open().timeout({ seconds: secondsMax }).stats();
      return { mediaType: facts.format === "png" ? "image/png" : "image/jpeg", bytes: Buffer.from(bytes) };
    }
    const scaled = open()
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

function unreadable(error: unknown): never {
  const says = error instanceof Error ? error.message : "";
  if (/pixel limit|timeout/i.test(says)) throw new FaultError("too-large", { cause: error });
  // Pictures of iPhones in HEVC, whose patents keep it out of the library; what is no picture at all.
  const isKind = /unsupported image format|compression format|bad seek|heif: /i.test(says);
  throw new FaultError(isKind ? "kind" : "damaged", { cause: error });
}
