import type { ErrorCode } from "#contract/errors.ts";

/** What the server and the process that reads PDFs say to each other. Both sides are ours and of the same version. */

export type PictureFormat = "png" | "webp";

/** What is wrong with a document, for the person who sent it. */
export type Fault = Extract<ErrorCode, `pdf-${string}`>;

/** One document to be read, and how. */
export type Task = {
  bytes: Uint8Array;
  /** Absent: only the text is wanted. */
  picture?: PictureOptions;
  pagesMax: number;
  /** Of one page. What is beyond is left out. */
  textCharactersMax: number;
  /** Of all pages together. */
  allCharactersMax: number;
  /** All pictures together; more is a bomb. */
  pictureBytesMax: number;
};

export type PictureOptions = {
  format: PictureFormat;
  dotsPerInch: number;
  /** A page that would have more is drawn smaller. */
  pixelsMax: number;
  /** Of its longer side, for the same. */
  sideMax: number;
};

export type ReadPage = {
  /** From 1. */
  number: number;
  text: string;
  /** Of the picture, in pixels; where none was wanted, of the page in points, rounded. */
  width: number;
  height: number;
  picture?: Uint8Array;
};

/** What the server says: a document to read, or that it has taken in a page. */
export type Said = { kind: "task"; task: Task } | { kind: "taken" };

export type Told =
  | { kind: "ready" }
  | { kind: "opened"; pages: number }
  | { kind: "page"; page: ReadPage }
  /** The document is read; `memoryBytes` is what the process holds now. */
  | { kind: "done"; memoryBytes: number }
  /** `spent` where the process is of no further use. */
  | { kind: "failed"; code: Fault; spent: boolean; cause?: string };
