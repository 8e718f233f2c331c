import type { Fault, PictureOptions } from "../told.ts";
import type { PDFium } from "./pdfium.ts";

/** A document that is no such thing, or that holds what cannot be given. */
export class FaultError extends Error {
  override readonly name = "FaultError";
  readonly code: Fault;
  constructor(code: Fault) {
    super(code);
    this.code = code;
  }
}

export type Pixels = { data: Uint8Array; width: number; height: number };

export type OpenDocument = {
  pages: number;
  /** `undefined` for a page that cannot be read. The text is taken before the picture: drawing uses the page up. */
  read(index: number, textCharactersMax: number, picture?: PictureOptions): OpenPage | undefined;
};

export type OpenPage = { text: string; width: number; height: number; pixels?: Pixels };

/** PDFium's own numbers. */
const errors: Record<number, Fault> = { 4: "pdf-locked", 5: "pdf-unsupported" };
const [bgra, white, withNotes, asRgba] = [4, 0xffffffff, 0x01, 0x10];
const formInfoBytes = 256;
const pointsPerInch = 72;

/** Throws `FaultError`. What PDFium throws beyond that is a fault of its own, and it is of no further use. */
export function openDocument(pdfium: PDFium, bytes: Uint8Array): OpenDocument {
  if (bytes.length === 0) throw new FaultError("pdf-empty");
  const place = allocate(pdfium, bytes.length);
  pdfium.HEAPU8.set(bytes, place);
  const document = pdfium._FPDF_LoadMemDocument(place, bytes.length, 0);
  if (document === 0) throw new FaultError(errors[pdfium._FPDF_GetLastError()] ?? "pdf-unreadable");
  const pages = pdfium._FPDF_GetPageCount(document);
  if (pages <= 0) throw new FaultError("pdf-empty");
  const form = openForm(pdfium, document);
  return {
    pages,
    read(index, textCharactersMax, picture) {
      const page = pdfium._FPDF_LoadPage(document, index);
      if (page === 0) return undefined;
      try {
        const text = textOf(pdfium, page, textCharactersMax);
        const size = { width: pdfium._FPDF_GetPageWidthF(page), height: pdfium._FPDF_GetPageHeightF(page) };
        if (picture === undefined)
          return { text, width: Math.round(size.width), height: Math.round(size.height) };
        const fitted = pixelSize(size, picture);
        return { text, ...fitted, pixels: drawn(pdfium, page, form, fitted) };
      } finally {
        pdfium._FPDF_ClosePage(page);
      }
    },
  };
}

/** As large as asked for, but with no more pixels than are allowed and never without one. */
export function pixelSize(
  points: { width: number; height: number },
  { dotsPerInch, pixelsMax, sideMax }: PictureOptions,
): { width: number; height: number } {
  const wanted = {
    width: points.width * (dotsPerInch / pointsPerInch),
    height: points.height * (dotsPerInch / pointsPerInch),
  };
  const scale = Math.min(
    1,
    Math.sqrt(pixelsMax / Math.max(1, wanted.width * wanted.height)),
    sideMax / Math.max(1, wanted.width, wanted.height),
  );
  const whole = (side: number) => Math.max(1, Math.min(sideMax, Math.round(side * scale) || 1));
  return { width: whole(wanted.width), height: whole(wanted.height) };
}

function drawn(pdfium: PDFium, page: number, form: number, size: { width: number; height: number }): Pixels {
  const { width, height } = size;
  const byteLength = width * height * 4;
  const place = allocate(pdfium, byteLength);
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, bgra, place, width * 4);
  pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white);
  pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, withNotes | asRgba);
  // What is filled into a form is drawn apart.
  if (form !== 0) pdfium._FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, withNotes | asRgba);
  pdfium._FPDFBitmap_Destroy(bitmap);
  const data = pdfium.HEAPU8.slice(place, place + byteLength);
  pdfium.wasmExports.free(place);
  return { data, width, height };
}

/** What is needed to draw forms; scripts are not built in, and nothing of a form is ever run. */
function openForm(pdfium: PDFium, document: number): number {
  const place = allocate(pdfium, formInfoBytes);
  pdfium.HEAPU8.fill(0, place, place + formInfoBytes);
  new DataView(pdfium.HEAPU8.buffer).setUint32(place, 2, true);
  return pdfium._FPDFDOC_InitFormFillEnvironment(document, place);
}

function textOf(pdfium: PDFium, page: number, charactersMax: number): string {
  const text = pdfium._FPDFText_LoadPage(page);
  if (text === 0) return "";
  const count = Math.min(pdfium._FPDFText_CountChars(text), charactersMax);
  if (count <= 0) return (pdfium._FPDFText_ClosePage(text), "");
  const place = allocate(pdfium, (count + 1) * 2);
  const units = pdfium._FPDFText_GetText(text, 0, count, place);
  const encoded = pdfium.HEAPU8.slice(place, place + Math.max(0, units - 1) * 2);
  pdfium.wasmExports.free(place);
  pdfium._FPDFText_ClosePage(text);
  return cleaned(new TextDecoder("utf-16le").decode(encoded));
}

/** What no text has, and what PDFium puts where a word was divided. */
const noText = new RegExp(String.raw`[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]`, "g");

function cleaned(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(noText, "").toWellFormed();
}

function allocate(pdfium: PDFium, byteLength: number): number {
  const place = pdfium.wasmExports.malloc(byteLength);
  if (place === 0) throw new FaultError("pdf-too-complex");
  return place;
}
