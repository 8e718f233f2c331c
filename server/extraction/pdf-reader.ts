import { limits } from "#contract/limits.ts";
import { AppError } from "../lib/errors.ts";
import type { Pdf } from "../pdf/pdf.ts";
import { ProcessError } from "../child-process/process.ts";
import { bounds } from "./bounds.ts";
import { ExhaustedError, FaultError } from "./office/fault.ts";
import type { Picture } from "./pictures/picture.ts";
import type { Pictures } from "./pictures/pictures.ts";

/** The text of each page of a PDF. Throws `FaultError` and the signal's reason. */
export async function pageTexts(pdf: Pdf, bytes: Uint8Array, signal: AbortSignal): Promise<string[]> {
  try {
    return (await pdf.pagesOf(bytes, signal)).map(({ text }) => text);
  } catch (error) {
    throw faultOf(error, signal);
  }
}

/** Pages as pictures, each under its number from 1, and whether there would have been more, were they all to be had. */
export type PagePictures = { pages: { number: number; picture: Picture }[]; failure?: FaultError };

/**
 * Its first pages as pictures, at most `bounds.drawnPages`: those that came before something failed. Throws
 * `FaultError` where none came, and the signal's reason.
 */
export async function pagePictures(
  pdf: Pdf,
  pictures: Pictures,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<PagePictures> {
  const enough = new AbortController();
  const made: Promise<Picture>[] = [];
  let failure: FaultError | undefined;
  const listener = {
    opened() {},
    page({ picture }: { picture?: Uint8Array }) {
      if (picture === undefined || enough.signal.aborted) return;
      const one = pictures.prepare(picture, bounds.pageEdge, signal);
      // Heard below; until then it must not be unheard.
      one.catch(() => {});
      made.push(one);
      if (made.length >= bounds.drawnPages) enough.abort(new Error("enough pages"));
    },
  };
  try {
    // Of a book as of a letter: the first ones.
    const drawing = AbortSignal.any([signal, enough.signal]);
    await pdf.draw(bytes, "png", listener, drawing, limits.pdfTextPages);
  } catch (error) {
    if (!enough.signal.aborted || signal.aborted) {
      const fault = faultOf(error, signal);
      if (!(fault instanceof FaultError)) throw fault;
      failure = fault;
    }
  }
  const pages: PagePictures["pages"] = [];
  for (const [index, one] of (await Promise.allSettled(made)).entries()) {
    if (one.status === "fulfilled") pages.push({ number: index + 1, picture: one.value });
    else if (one.reason instanceof FaultError) failure ??= one.reason;
    else throw one.reason;
  }
  if (pages.length === 0 && failure !== undefined) throw failure;
  return { pages, ...(failure === undefined ? {} : { failure }) };
}

function faultOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || !(error instanceof AppError)) return error;
  switch (error.code) {
    case "pdf-locked":
      return new FaultError("locked", { cause: error });
    case "too-many-pdfs":
    case "maintenance":
      return new FaultError("away", { cause: error });
    case "pdf-too-many-pages":
    case "pdf-too-large":
      return new FaultError("too-large", { cause: error });
    case "pdf-too-long":
    case "pdf-too-complex":
      return new ExhaustedError({ cause: error });
    default:
      if (error.cause instanceof ProcessError) return new ExhaustedError({ cause: error });
      return new FaultError("damaged", { cause: error });
  }
}
