import type { ErrorCode } from "#contract/errors.ts";

/** The messages between the server and the child process that reads PDFs. */

export type PictureFormat = "png" | "webp";

export type PdfErrorCode = Extract<ErrorCode, `pdf-${string}`>;

/** A document to read. */
export type PdfTask = {
  bytes: Uint8Array;
  /** Absent: only the text is read. */
  picture?: PictureOptions;
  pagesMax: number;
  /** Limit for one page. The rest of its text is left out. */
  textCharactersMax: number;
  /** Limit for all pages together. */
  allCharactersMax: number;
  /** Limit for all pictures together. A document with more is refused. */
  pictureBytesMax: number;
};

export type PictureOptions = {
  format: PictureFormat;
  dotsPerInch: number;
  /** A larger page is rendered at a lower resolution. */
  pixelsMax: number;
  /** A page with a longer side is too. */
  sideMax: number;
};

export type ReadPage = {
  /** From 1. */
  number: number;
  text: string;
  /** Of the picture, in pixels; without a picture, of the page, in points, rounded. */
  width: number;
  height: number;
  picture?: Uint8Array;
};

export type PdfMessage =
  | { kind: "opened"; pages: number }
  | { kind: "page"; page: ReadPage }
  | { kind: "done" }
  | { kind: "failed"; code: PdfErrorCode; cause?: string };
