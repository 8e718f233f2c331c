/** PDFium's own memory: a document of 25 MiB and a page of 16 megapixels, and twice that for what they unfold to. */
export const pdfiumBytesMax = 256 * 1024 * 1024;

const pageBytes = 65_536;
let refused = false;

/** Lets this memory grow no further than its bound. PDFium takes that for a machine without more, and gives up. */
export function bounded(memory: WebAssembly.Memory): void {
  const grow = memory.grow.bind(memory);
  refused = false;
  memory.grow = (pages: number) => {
    if (memory.buffer.byteLength + pages * pageBytes > pdfiumBytesMax) {
      refused = true;
      throw new RangeError("the bound of memory is reached");
    }
    return grow(pages);
  };
}

/** Whether the newest memory was refused more: what failed since failed for that. */
export function memoryWasRefused(): boolean {
  return refused;
}
