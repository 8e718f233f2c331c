import type { SteadyClock } from "../../lib/clock.ts";
import { ExtractionError } from "../extraction-error.ts";
import { kindOf } from "../file-kind.ts";
import type { FileSource } from "../file-source.ts";
import { createLruCache } from "../lru-cache.ts";
import { extractionLimits } from "../limits.ts";
import type { RenderedPages } from "../pdf-reader.ts";
import type { Picture } from "../pictures/picture.ts";
import type { FileText, Texts } from "../texts.ts";
import type { Ocr, OcrEngine } from "./ocr.ts";

/** Shows what is in a file. Both functions throw `ExtractionError` and the signal's reason. */
export type Pictures = {
  picture(source: FileSource): Promise<Picture>;
  /** The first pages of a PDF. */
  pages(source: FileSource): Promise<RenderedPages>;
};

/** The text of pictures, and of PDFs with that of their scanned pages. */
export type Recognizer = {
  /**
   * What is known of the text of a picture or a PDF, with what can be recognized in it. Without the extra, this is what
   * `Texts` has; undefined for a picture. Throws `ExtractionError` and the signal's reason.
   */
  recognize(source: FileSource, pictures: Pictures, signal: AbortSignal): Promise<FileText | undefined>;
  isMissing(): Promise<boolean>;
};

/** Pages without text, among those that can be shown as pictures. */
export function hasScannedPages({ text, pages = 0, isCut }: FileText): boolean {
  const texts = text.split("\f").slice(0, extractionLimits.renderedPagesMax);
  return !isCut && pages > 0 && texts.some((page) => page.trim() === "");
}

export function createRecognizer(options: {
  texts: Texts;
  ocr: Ocr;
  clock: Pick<SteadyClock, "elapsedMs">;
}): Recognizer {
  const { texts, ocr, clock } = options;
  const cache = createLruCache<FileText>(
    extractionLimits.cacheBytesMax / 8,
    ({ text }) => 2 * text.length + 100,
  );

  async function before(source: FileSource, signal: AbortSignal): Promise<FileText | undefined> {
    const isPicture = kindOf(source.type, source.name) === "picture";
    return await texts.extract(source, signal).catch((error: unknown) => {
      if (isPicture && error instanceof ExtractionError && error.reason === "kind") return undefined;
      throw error;
    });
  }

  /** One page after the other, so that the pages of several files take turns. */
  async function readPages(
    known: FileText,
    { pages }: RenderedPages,
    engine: OcrEngine,
    signal: AbortSignal,
  ): Promise<FileText> {
    const all = known.text.split("\f");
    const untilMs = clock.elapsedMs() + extractionLimits.recognitionMs;
    let count = 0;
    for (const { number, picture } of pages) {
      if (all[number - 1]?.trim() !== "" || clock.elapsedMs() > untilMs) continue;
      const text = await engine.recognize(picture.bytes, signal);
      if (text.trim() === "") continue;
      all[number - 1] = text.replaceAll("\f", "\n").trim();
      count++;
    }
    return { ...known, text: all.join("\f"), recognized: { in: engine.name, pages: count } };
  }

  return {
    async recognize(source, pictures, signal) {
      const known = await before(source, signal);
      const isNeeded = known === undefined || known.pages === undefined || hasScannedPages(known);
      const engine = isNeeded ? await ocr.find() : undefined;
      if (engine === undefined || known?.recognized?.in === engine.name) return known;
      const create = async (): Promise<FileText> => {
        const isPicture = kindOf(source.type, source.name) === "picture";
        if (!isPicture)
          return await texts.improve(
            source,
            await readPages(known!, await pictures.pages(source), engine, signal),
          );
        const { bytes } = await pictures.picture(source);
        const text = (await engine.recognize(bytes, signal)).replaceAll("\f", "\n").trim();
        const recognized = { in: engine.name, pages: text === "" ? 0 : 1 };
        return await texts.improve(source, { text, isCut: false, recognized });
      };
      return await cache.getOrCreate(`${source.cacheKey} ${engine.name}`, create, signal);
    },
    isMissing: async () => (await ocr.find()) === undefined,
  };
}
