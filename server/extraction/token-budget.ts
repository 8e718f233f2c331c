import type { ModelFacts } from "../models/model.ts";
import { bounds } from "./bounds.ts";
import type { Without } from "./request-limits.ts";

/** What is left for files in one request. */
export type Room = {
  /** Takes all of `wanted` or nothing. */
  take(wanted: { files?: number; pictures?: number; mediaBytes?: number }): boolean;
  /** Takes as many characters of text as there are, up to `wanted`; nothing where hardly any are left. */
  takeCharacters(wanted: number): number;
  /** How many pictures there is room for. */
  pictures(): number;
};

/** Two characters for each token that the model can be given: half of what it holds, were the text English. */
const charactersPerToken = 2;

export function newRoom(facts: ModelFacts, charactersMax: number, without: Without): Room {
  const left = {
    files: bounds.files as number,
    pictures: Math.min(bounds.pictures, facts.pictures ?? Infinity, without.pictures),
    mediaBytes: bounds.mediaBytes,
  };
  let characters = Math.min(
    charactersMax,
    (facts.contextTokens ?? Infinity) * charactersPerToken,
    without.characters,
  );
  return {
    take({ files = 0, pictures = 0, mediaBytes = 0 }) {
      if (files > left.files || pictures > left.pictures || mediaBytes > left.mediaBytes) return false;
      left.files -= files;
      left.pictures -= pictures;
      left.mediaBytes -= mediaBytes;
      return true;
    },
    takeCharacters(wanted) {
      const taken = Math.min(wanted, characters);
      if (taken < wanted && taken < bounds.leastCharacters) return 0;
      characters -= taken;
      return taken;
    },
    pictures: () => left.pictures,
  };
}
