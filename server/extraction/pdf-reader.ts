import { limits } from "#contract/limits.ts";
import { AppError } from "../lib/errors.ts";
import type { Pdf } from "../pdf/pdf.ts";
import { ProcessError } from "../child-process/process.ts";
import { extractionLimits } from "./limits.ts";
import { ExtractionError, ExtractionLimitError } from "./extraction-error.ts";
import type { Picture } from "./pictures/picture.ts";
import type { Pictures } from "./pictures/pictures.ts";

/** The text of each page of a PDF. Throws `ExtractionError` and the signal's reason. */
export async function pdfPageTexts(pdf: Pdf, bytes: Uint8Array, signal: AbortSignal): Promise<string[]> {
  try {
    return (await pdf.pagesOf(bytes, signal)).map(({ text }) => text);
  } catch (error) {
    throw extractionErrorOf(error, signal);
  }
}

/** Pages as pictures; `number` counts from 1. `failure`: some of the pages failed. */
export type RenderedPages = { pages: { number: number; picture: Picture }[]; failure?: ExtractionError };

/**
 * The first pages as pictures, up to the first failure. Throws `ExtractionError` if there are none, and the signal's
 * reason.
 */
export async function pdfPagePictures(
  pdf: Pdf,
  pictures: Pictures,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<RenderedPages> {
  const enough = new AbortController();
  const prepared: Promise<Picture>[] = [];
  let failure: ExtractionError | undefined;
  const listener = {
    opened() {},
    page({ picture }: { picture?: Uint8Array }) {
      if (picture === undefined || enough.signal.aborted) return;
      const one = pictures.prepare(picture, extractionLimits.pageEdgePixels, signal);
      // A rejection is handled below, after the last page.
      one.catch(() => {});
      prepared.push(one);
      if (prepared.length >= extractionLimits.renderedPagesMax) enough.abort(new Error("enough pages"));
    },
  };
  try {
    const rendering = AbortSignal.any([signal, enough.signal]);
    await pdf.render(bytes, "png", listener, rendering, limits.pdfTextPages);
  } catch (error) {
    if (!enough.signal.aborted || signal.aborted) {
      const mapped = extractionErrorOf(error, signal);
      if (!(mapped instanceof ExtractionError)) throw mapped;
      failure = mapped;
    }
  }
  const pages: RenderedPages["pages"] = [];
  for (const [index, result] of (await Promise.allSettled(prepared)).entries()) {
    if (result.status === "fulfilled") pages.push({ number: index + 1, picture: result.value });
    else if (result.reason instanceof ExtractionError) failure ??= result.reason;
    else throw result.reason;
  }
  if (pages.length === 0 && failure !== undefined) throw failure;
  return { pages, ...(failure === undefined ? {} : { failure }) };
}

function extractionErrorOf(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || !(error instanceof AppError)) return error;
  switch (error.code) {
    case "pdf-locked":
      return new ExtractionError("locked", { cause: error });
    case "too-many-pdfs":
    case "maintenance":
      return new ExtractionError("away", { cause: error });
    case "pdf-too-many-pages":
    case "pdf-too-large":
      return new ExtractionError("too-large", { cause: error });
    case "pdf-too-long":
    case "pdf-too-complex":
      return new ExtractionLimitError({ cause: error });
    default:
      if (error.cause instanceof ProcessError) return new ExtractionLimitError({ cause: error });
      return new ExtractionError("damaged", { cause: error });
  }
}
