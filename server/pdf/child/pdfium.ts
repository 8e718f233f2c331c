import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { PDFiumModule } from "@hyzyla/pdfium";
import { bounded } from "./memory.ts";

/**
 * PDFium as it is compiled: its C functions, which take and give numbers that stand for things in its memory. The
 * package's own classes close a page when they draw it, and read from it after that.
 */
export type PDFium = Awaited<ReturnType<typeof PDFiumModule>> & {
  _FPDF_InitLibrary(): void;
  _FPDF_GetPageWidthF(page: number): number;
  _FPDF_GetPageHeightF(page: number): number;
};

let compiled: WebAssembly.Module | undefined;

/**
 * A PDFium with a memory of its own. Each document gets one: what a hostile document did to it, the next never meets.
 * Its memory grows up to a bound, and PDFium is told that there is no more.
 */
export async function newPdfium(): Promise<PDFium> {
  const path = createRequire(import.meta.url).resolve("@hyzyla/pdfium/pdfium.wasm");
  const code = (compiled ??= await WebAssembly.compile(readFileSync(path)));
  const silent = { print() {}, printErr() {} };
  const pdfium = (await PDFiumModule({
    ...silent,
    instantiateWasm(imports: WebAssembly.Imports, taken: (instance: WebAssembly.Instance) => void) {
      const instance = new WebAssembly.Instance(code, imports);
      bounded(instance.exports.memory as WebAssembly.Memory);
      taken(instance);
      return instance.exports;
    },
  } as never)) as PDFium;
  pdfium._FPDF_InitLibrary();
  return pdfium;
}
