import { connectToParent } from "../../child-process/parent.ts";
import { ExtractionError } from "../extraction-error.ts";
import type { PictureOutcome, PictureTask } from "./picture.ts";
import { convertPictureForModel } from "./convert-for-model.ts";
import { makePictureThumbnail } from "./make-thumbnail.ts";

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
