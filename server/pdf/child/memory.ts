/** Enough for a document of 25 MiB and a page of 16 megapixels, and twice that for what they decompress to. */
const pdfiumBytesMax = 256 * 1024 * 1024;

const pageBytes = 65_536;
let refused = false;

/** Limits how far the memory can grow. At the limit, PDFium fails as it does when a machine is out of memory. */
export function limitMemory(memory: WebAssembly.Memory): void {
  const grow = memory.grow.bind(memory);
  refused = false;
  memory.grow = (pages: number) => {
    if (memory.buffer.byteLength + pages * pageBytes > pdfiumBytesMax) {
      refused = true;
      throw new RangeError("the memory limit is reached");
    }
    return grow(pages);
  };
}

/** Whether the newest memory reached its limit. */
export function wasMemoryRefused(): boolean {
  return refused;
}
