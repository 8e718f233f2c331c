import { limits } from "#contract/limits.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Logger } from "#server/lib/logger.ts";
import { createPdfPool, type PoolOptions } from "./pool.ts";
import type { PictureFormat, ReadPage } from "./told.ts";

export type { PictureFormat, ReadPage } from "./told.ts";

/** A page of a PDF in words, for search and for models that read no pictures. `width` and `height` are in points. */
export type PageText = { text: string; width: number; height: number };

/**
 * What is told while a document is read: how many pages it has, then each page in its turn. A listener that takes its
 * time with a page holds those after it up; one that throws ends the reading.
 */
export type PageListener = { opened(pages: number): void; page(page: ReadPage): void | Promise<void> };

/**
 * Reads PDFs in processes apart, bounded in time, memory, pages and pixels. Both functions throw `pdf-unreadable`,
 * `pdf-locked`, `pdf-unsupported`, `pdf-empty`, `pdf-too-many-pages`, `pdf-too-large`, `pdf-too-long`,
 * `pdf-too-complex`, `too-many-pdfs` and `maintenance`, and the signal's reason when it aborts.
 */
export type Pdf = {
  /** The text of each page, in order. */
  pagesOf(bytes: Uint8Array, signal: AbortSignal): Promise<PageText[]>;
  /**
   * Each page as text and as a picture at 150 dots per inch, told in order as soon as it is there. A document of more
   * pages than `pagesMax` is refused: whoever wants only the first ones says more, and aborts.
   */
  draw(
    bytes: Uint8Array,
    format: PictureFormat,
    listener: PageListener,
    signal: AbortSignal,
    pagesMax?: number,
  ): Promise<void>;
  /** Ends every process; what is under way fails. */
  close(): void;
};

export type PdfOptions = {
  logger: Pick<Logger, "warn">;
  /** How many are read at once. */
  processes: number;
} & Partial<Omit<PoolOptions, "logger" | "processes">>;

export function createPdf(options: PdfOptions): Pdf {
  const pool = createPdfPool({
    timeMs: limits.pdfMs,
    memoryBytesMax: limits.pdfMemoryBytes,
    ...options,
  });

  async function read(
    bytes: Uint8Array,
    format: PictureFormat | undefined,
    listener: PageListener,
    signal: AbortSignal,
    pagesMax: number = limits.pdfPages,
  ): Promise<void> {
    if (bytes.length > limits.pdfBytes) throw new AppError("pdf-too-large");
    const picture = {
      dotsPerInch: limits.pdfDotsPerInch,
      pixelsMax: limits.pdfPixels,
      sideMax: limits.pdfPixelsSide,
    };
    await pool.read(
      {
        bytes,
        ...(format === undefined ? {} : { picture: { format, ...picture } }),
        pagesMax,
        textCharactersMax: limits.pdfPageCharacters,
        allCharactersMax: limits.pdfCharacters,
        pictureBytesMax: limits.pdfPictureBytes,
      },
      async (told) => {
        if (told.kind === "opened") listener.opened(told.pages);
        if (told.kind === "page") await listener.page(told.page);
      },
      signal,
    );
  }

  return {
    async pagesOf(bytes, signal) {
      const pages: PageText[] = [];
      const page = ({ text, width, height }: ReadPage) => void pages.push({ text, width, height });
      await read(bytes, undefined, { opened() {}, page }, signal, limits.pdfTextPages);
      return pages;
    },
    draw: read,
    close: pool.close,
  };
}
