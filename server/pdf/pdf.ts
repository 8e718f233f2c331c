import { join } from "node:path";
import { limits } from "#contract/limits.ts";
import { createProcessPool, type ProcessPoolOptions } from "../child-process/pool.ts";
import { ProcessError } from "../child-process/process.ts";
import { AppError } from "../lib/errors.ts";
import type { Logger } from "../lib/logger.ts";
import type { PdfMessage, PdfTask, PictureFormat, ReadPage } from "./pdf-process-messages.ts";

export type { PictureFormat, ReadPage } from "./pdf-process-messages.ts";

/** The text of a page. `width` and `height` are in points. */
export type PageText = { text: string; width: number; height: number };

/**
 * Called while a document is read: once with the number of pages, then with each page in order. The next page waits
 * until `page` has resolved. If a listener throws, reading stops.
 */
export type PageListener = { opened(pages: number): void; page(page: ReadPage): void | Promise<void> };

/**
 * Reads PDFs in child processes, with limits on time, memory, pages and pixels. Both functions throw
 * `pdf-unreadable`, `pdf-locked`, `pdf-unsupported`, `pdf-empty`, `pdf-too-many-pages`, `pdf-too-large`,
 * `pdf-too-long`, `pdf-too-complex`, `too-many-pdfs` and `maintenance`, and the signal's reason when it aborts.
 */
export type Pdf = {
  /** The text of each page, in order. */
  pagesOf(bytes: Uint8Array, signal: AbortSignal): Promise<PageText[]>;
  /**
   * Reads each page as text and as a picture at 150 dots per inch. Throws `pdf-too-many-pages` for a document of more
   * than `pagesMax` pages. To read only the first pages, raise `pagesMax` and abort.
   */
  render(
    bytes: Uint8Array,
    format: PictureFormat,
    listener: PageListener,
    signal: AbortSignal,
    pagesMax?: number,
  ): Promise<void>;
  /** Kills every process. Current calls throw `maintenance`. */
  close(): void;
};

export type PdfOptions = {
  logger: Pick<Logger, "warn">;
  /** How many documents are read at once. */
  processes: number;
} & Partial<Pick<ProcessPoolOptions, "timeMs" | "memoryBytesMax" | "waitingMax">>;

const retryAfterSeconds = 5;

export function createPdf(options: PdfOptions): Pdf {
  const { logger } = options;
  const pool = createProcessPool<PdfTask, PdfMessage>({
    program: join(import.meta.dirname, "child", "main.ts"),
    folder: "server/pdf",
    timeMs: limits.pdfMs,
    memoryBytesMax: limits.pdfMemoryBytes,
    waitingMax: 32,
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
    try {
      for await (const message of pool.run(taskOf(bytes, format, pagesMax), signal)) {
        if (message.kind === "opened") listener.opened(message.pages);
        else if (message.kind === "page") await listener.page(message.page);
        else if (message.kind === "failed") {
          const { code, cause } = message;
          if (cause !== undefined) logger.warn({ code, cause }, "a PDF made its reader process exit");
          throw new AppError(code);
        }
      }
    } catch (error) {
      throw error instanceof ProcessError ? appErrorOf(error) : error;
    }
  }

  return {
    async pagesOf(bytes, signal) {
      const pages: PageText[] = [];
      const page = ({ text, width, height }: ReadPage) => void pages.push({ text, width, height });
      await read(bytes, undefined, { opened() {}, page }, signal, limits.pdfTextPages);
      return pages;
    },
    render: read,
    close: pool.close,
  };
}

function taskOf(bytes: Uint8Array, format: PictureFormat | undefined, pagesMax: number): PdfTask {
  const picture = {
    dotsPerInch: limits.pdfDotsPerInch,
    pixelsMax: limits.pdfPixels,
    sideMax: limits.pdfPixelsSide,
  };
  return {
    bytes,
    ...(format === undefined ? {} : { picture: { format, ...picture } }),
    pagesMax,
    textCharactersMax: limits.pdfPageCharacters,
    allCharactersMax: limits.pdfCharacters,
    pictureBytesMax: limits.pdfPictureBytes,
  };
}

function appErrorOf(cause: ProcessError): AppError {
  switch (cause.why) {
    case "busy":
      return new AppError("too-many-pdfs", { retryAfterSeconds, cause });
    case "slow-start":
      return new AppError("maintenance", { retryAfterSeconds, cause });
    case "closed":
      return new AppError("maintenance", { cause });
    case "timeout":
      return new AppError("pdf-too-long", { cause });
    case "out-of-memory":
      return new AppError("pdf-too-complex", { cause });
    case "died":
      return new AppError("pdf-unreadable", { cause });
  }
}
