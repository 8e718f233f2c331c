import sharp, { type Sharp } from "sharp";
import { bounds } from "../bounds.ts";
import { FaultError } from "../office/fault.ts";

/** What is opened; the library knows more, and each is one more way in. */
const opened = new Set(["jpeg", "png", "webp", "gif", "tiff", "heif", "avif"]);

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

/** A picture that is not unfolded yet: the first frame of those that move, and no more pixels than memory has room for. */
export function openPicture(bytes: Uint8Array): Sharp {
  return sharp(bytes, { limitInputPixels: bounds.picturePixels, failOn: "error" });
}

/** What its head says. Throws `FaultError`. */
export async function factsOf(bytes: Uint8Array) {
  const facts = await openPicture(bytes).metadata().catch(unreadable);
  if (!opened.has(facts.format)) throw new FaultError("kind");
  return facts;
}

/** In our words, what the library could not do. */
export function unreadable(error: unknown): never {
  const says = error instanceof Error ? error.message : "";
  if (/pixel limit|timeout/i.test(says)) throw new FaultError("too-large", { cause: error });
  // Pictures of iPhones in HEVC, whose patents keep it out of the library; what is no picture at all.
  const isKind = /unsupported image format|compression format|bad seek|heif: /i.test(says);
  throw new FaultError(isKind ? "kind" : "damaged", { cause: error });
}
