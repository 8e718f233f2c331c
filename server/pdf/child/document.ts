import type { PdfErrorCode, PictureOptions } from "../pdf-process-messages.ts";
import type { PDFium } from "./pdfium.ts";

/** Something is wrong with the document. */
export class PdfError extends Error {
  override readonly name = "PdfError";
  readonly code: PdfErrorCode;
  constructor(code: PdfErrorCode) {
    super(code);
    this.code = code;
  }
}

export type Pixels = { data: Uint8Array; width: number; height: number };

export type OpenDocument = {
  pages: number;
  /** Reads a page. `undefined`: the page is unreadable. */
  read(index: number, textCharactersMax: number, picture?: PictureOptions): OpenPage | undefined;
};

export type OpenPage = { text: string; width: number; height: number; pixels?: Pixels };

/** Numbers from PDFium's headers. */
const errors: Record<number, PdfErrorCode> = { 4: "pdf-locked", 5: "pdf-unsupported" };
const [bgra, white, withAnnotations, asRgba] = [4, 0xffffffff, 0x01, 0x10];
const formInfoBytes = 256;
const pointsPerInch = 72;

/** Throws `PdfError`. After any other error, the PDFium instance is broken. */
export function openDocument(pdfium: PDFium, bytes: Uint8Array): OpenDocument {
  if (bytes.length === 0) throw new PdfError("pdf-empty");
  const pointer = allocate(pdfium, bytes.length);
  pdfium.HEAPU8.set(bytes, pointer);
  const document = pdfium._FPDF_LoadMemDocument(pointer, bytes.length, 0);
  if (document === 0) throw new PdfError(errors[pdfium._FPDF_GetLastError()] ?? "pdf-unreadable");
  const pages = pdfium._FPDF_GetPageCount(document);
  if (pages <= 0) throw new PdfError("pdf-empty");
  const form = openForm(pdfium, document);
  return {
    pages,
    read(index, textCharactersMax, picture) {
      const page = pdfium._FPDF_LoadPage(document, index);
      if (page === 0) return undefined;
      try {
        // The text first: rendering changes the page.
        const text = textOf(pdfium, page, textCharactersMax);
        const size = { width: pdfium._FPDF_GetPageWidthF(page), height: pdfium._FPDF_GetPageHeightF(page) };
        if (picture === undefined)
          return { text, width: Math.round(size.width), height: Math.round(size.height) };
        const fitted = pixelSize(size, picture);
        return { text, ...fitted, pixels: renderPage(pdfium, page, form, fitted) };
      } finally {
        pdfium._FPDF_ClosePage(page);
      }
    },
  };
}

/** The size at the requested resolution, scaled down to the limits. At least one pixel. */
function pixelSize(
  points: { width: number; height: number },
  { dotsPerInch, pixelsMax, sideMax }: PictureOptions,
): { width: number; height: number } {
  const full = {
    width: points.width * (dotsPerInch / pointsPerInch),
    height: points.height * (dotsPerInch / pointsPerInch),
  };
  const scale = Math.min(
    1,
    Math.sqrt(pixelsMax / Math.max(1, full.width * full.height)),
    sideMax / Math.max(1, full.width, full.height),
  );
  const scaled = (side: number) => Math.max(1, Math.min(sideMax, Math.round(side * scale) || 1));
  return { width: scaled(full.width), height: scaled(full.height) };
}

function renderPage(
  pdfium: PDFium,
  page: number,
  form: number,
  size: { width: number; height: number },
): Pixels {
  const { width, height } = size;
  const byteLength = width * height * 4;
  const pointer = allocate(pdfium, byteLength);
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, bgra, pointer, width * 4);
  pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white);
  pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, withAnnotations | asRgba);
  // PDFium renders the values of form fields separately.
  if (form !== 0) pdfium._FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, withAnnotations | asRgba);
  pdfium._FPDFBitmap_Destroy(bitmap);
  const data = pdfium.HEAPU8.slice(pointer, pointer + byteLength);
  pdfium.wasmExports.free(pointer);
  return { data, width, height };
}

/** Needed to render form fields. This build of PDFium has no JavaScript, so a form's scripts never run. */
function openForm(pdfium: PDFium, document: number): number {
  const pointer = allocate(pdfium, formInfoBytes);
  pdfium.HEAPU8.fill(0, pointer, pointer + formInfoBytes);
  new DataView(pdfium.HEAPU8.buffer).setUint32(pointer, 2, true);
  return pdfium._FPDFDOC_InitFormFillEnvironment(document, pointer);
}

function textOf(pdfium: PDFium, page: number, charactersMax: number): string {
  const text = pdfium._FPDFText_LoadPage(page);
  if (text === 0) return "";
  const count = Math.min(pdfium._FPDFText_CountChars(text), charactersMax);
  if (count <= 0) return (pdfium._FPDFText_ClosePage(text), "");
  const pointer = allocate(pdfium, (count + 1) * 2);
  const units = pdfium._FPDFText_GetText(text, 0, count, pointer);
  const encoded = pdfium.HEAPU8.slice(pointer, pointer + Math.max(0, units - 1) * 2);
  pdfium.wasmExports.free(pointer);
  pdfium._FPDFText_ClosePage(text);
  return withoutControls(new TextDecoder("utf-16le").decode(encoded));
}

/** Control characters. PDFium writes U+FFFE where a word was hyphenated. */
const controls = new RegExp(String.raw`[\u0000-\u0008\u000b-\u001f\u007f\ufffe\uffff]`, "g");

function withoutControls(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(controls, "").toWellFormed();
}

function allocate(pdfium: PDFium, byteLength: number): number {
  const pointer = pdfium.wasmExports.malloc(byteLength);
  if (pointer === 0) throw new PdfError("pdf-too-complex");
  return pointer;
}
