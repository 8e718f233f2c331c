import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { PDFiumModule } from "@hyzyla/pdfium";
import { limitMemory } from "./memory.ts";

/**
 * PDFium's C functions, whose arguments and results are pointers and numbers. The package's own classes are not used:
 * they close a page when they render it, and read from it afterwards.
 */
export type PDFium = Awaited<ReturnType<typeof PDFiumModule>> & {
  _FPDF_InitLibrary(): void;
  _FPDF_GetPageWidthF(page: number): number;
  _FPDF_GetPageHeightF(page: number): number;
};

let compiled: WebAssembly.Module | undefined;

/**
 * A PDFium instance with its own, limited memory. Each document gets a new instance, so that a hostile document cannot
 * affect the next one.
 */
export async function newPdfium(): Promise<PDFium> {
  const path = createRequire(import.meta.url).resolve("@hyzyla/pdfium/pdfium.wasm");
  const code = (compiled ??= await WebAssembly.compile(readFileSync(path)));
  const silent = { print() {}, printErr() {} };
  const pdfium = (await PDFiumModule({
    ...silent,
    instantiateWasm(imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) {
      const instance = new WebAssembly.Instance(code, imports);
      limitMemory(instance.exports.memory as WebAssembly.Memory);
      receive(instance);
      return instance.exports;
    },
  } as never)) as PDFium;
  pdfium._FPDF_InitLibrary();
  return pdfium;
}
