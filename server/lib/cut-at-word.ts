import { cutText } from "#contract/text.ts";

const words = new Intl.Segmenter(undefined, { granularity: "word" });
/** A word that begins before the limit ends within this. A longer one is cut. */
const wordCharactersMax = 64;

/**
 * The beginning of `text`, at most `max` UTF-16 code units, without half a word at its end. Also for languages that write no
 * spaces between words. Only a single word that is longer is cut.
 */
export function cutAtWord(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (const { index, segment } of words.segment(cutText(text, max + wordCharactersMax))) {
    if (index + segment.length > max) break;
    end = index + segment.length;
  }
  const cut = text.slice(0, end).replace(/[\s,;:([{«“‘–—-]+$/u, "");
  return cut === "" ? cutText(text, max) : cut;
}
