import { AppError } from "../errors.ts";
import type { Pdf } from "../pdf/pdf.ts";
import { bounds } from "./bounds.ts";
import { FaultError } from "./office/fault.ts";
import type { Picture, Pictures } from "./pictures/pictures.ts";

/** The text of each page of a PDF. Throws `FaultError` and the signal's reason. */
export async function pageTexts(pdf: Pdf, bytes: Uint8Array, signal: AbortSignal): Promise<string[]> {
  try {
    return (await pdf.pagesOf(bytes, signal)).map(({ text }) => text);
  } catch (error) {
    throw faultOf(error, signal);
  }
}

/** Its first pages as pictures, at most `bounds.drawnPages`. Throws `FaultError` and the signal's reason. */
export async function pagePictures(
  pdf: Pdf,
  pictures: Pictures,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<Picture[]> {
  const enough = new AbortController();
  const made: Promise<Picture>[] = [];
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
    await pdf.draw(bytes, "png", listener, AbortSignal.any([signal, enough.signal]));
  } catch (error) {
    if (!enough.signal.aborted || signal.aborted) throw faultOf(error, signal);
  }
  return await Promise.all(made);
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
    case "pdf-too-long":
    case "pdf-too-complex":
      return new FaultError("too-large", { cause: error });
    default:
      return new FaultError("damaged", { cause: error });
  }
}
