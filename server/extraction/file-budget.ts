import type { ModelFacts } from "../models/model.ts";
import { extractionLimits } from "./limits.ts";
import type { RequestLimits } from "./request-limits.ts";

/** How much of the conversation's files still fits into a request. */
export type FileBudget = {
  /** Takes all or nothing. Returns whether it fits. */
  take(size: { files?: number; pictures?: number; mediaBytes?: number }): boolean;
  /** Takes up to `count` characters of text and returns how many; 0 if too few are left to be useful. */
  takeCharacters(count: number): number;
  picturesLeft(): number;
};

/** Half of the context window, for English text of 4 characters per token. */
const charactersPerToken = 2;

export function createFileBudget(
  facts: ModelFacts,
  charactersMax: number,
  requestLimits: RequestLimits,
): FileBudget {
  const left = {
    files: extractionLimits.filesMax as number,
    pictures: Math.min(extractionLimits.picturesMax, facts.pictures ?? Infinity, requestLimits.picturesMax),
    mediaBytes: extractionLimits.mediaBytesMax,
  };
  let charactersLeft = Math.min(
    charactersMax,
    (facts.contextTokens ?? Infinity) * charactersPerToken,
    requestLimits.charactersMax,
  );
  return {
    take({ files = 0, pictures = 0, mediaBytes = 0 }) {
      if (files > left.files || pictures > left.pictures || mediaBytes > left.mediaBytes) return false;
      left.files -= files;
      left.pictures -= pictures;
      left.mediaBytes -= mediaBytes;
      return true;
    },
    takeCharacters(count) {
      const taken = Math.min(count, charactersLeft);
      if (taken < count && taken < extractionLimits.charactersMin) return 0;
      charactersLeft -= taken;
      return taken;
    },
    picturesLeft: () => left.pictures,
  };
}
