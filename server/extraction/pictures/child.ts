import { connectToParent } from "../../child-process/parent.ts";
import { ExtractionError } from "../extraction-error.ts";
import type { PictureOutcome, PictureTask, Picture } from "./picture.ts";
import { convertPictureForModel } from "./convert-for-model.ts";
import { metadataOf, openPicture, throwExtractionError } from "./open-picture.ts";

/** The child process that decodes images, one at a time. It may read only its own code. */

const actions = { prepare: convertPictureForModel, shrink: makePictureThumbnail };
const parent = connectToParent<PictureTask, PictureOutcome>(
  (task) => void outcomeOf(task).then(async (outcome) => await parent.finish(outcome)),
);
await parent.ready();

async function outcomeOf({ action, bytes, edge }: PictureTask): Promise<PictureOutcome> {
  try {
    return await actions[action](bytes, edge);
  } catch (error) {
    const isFault = error instanceof ExtractionError;
    return {
      reason: isFault ? error.reason : "damaged",
      cause: String(isFault ? error.cause : error).slice(0, 500),
    };
  }
}

const secondsMax = 10;
/** A photograph of 512 pixels then has some 25 kB and no visible artefacts. */
const quality = 75;

/**
 * Makes a small WebP of a picture: upright, the first frame of an animation, without camera metadata. Throws
 * `ExtractionError`.
 */
async function makePictureThumbnail(bytes: Uint8Array, edge: number): Promise<Picture> {
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
