import { Worker } from "node:worker_threads";
import sharp from "sharp";
import { connectToParent } from "../../child-process/parent.ts";
import type { ToChild } from "../../child-process/process-messages.ts";
import type { PdfErrorCode, PdfMessage, PdfTask, PictureFormat } from "../pdf-process-messages.ts";
import type { RenderedPage, FromRenderer } from "./render.ts";
import type { Pixels } from "./document.ts";

/**
 * The child process that reads PDFs, one at a time. PDFium runs in a worker thread; this thread encodes the pages that
 * it renders and sends them to the server, so that a page is encoded while the next one is rendered.
 */

/** Above this the process is replaced after its task: freed memory does not always return to the system. */
const spentBytes = 256 * 1024 * 1024;

const renderer = new Worker(new URL("./render.ts", import.meta.url), { execArgv: [], stdin: false });
let current: PdfTask | undefined;
let pictureBytes = 0;
/** Messages are sent in the order in which the pages were rendered. */
let sending: Promise<unknown> = Promise.resolve();

const parent = connectToParent<PdfTask, PdfMessage>((task) => {
  current = task;
  pictureBytes = 0;
  renderer.postMessage({ kind: "task", task } satisfies ToChild<PdfTask>);
});
renderer.on("message", (received: FromRenderer) => {
  const encoded = received.kind === "rendered" ? encodePage(received.page) : Promise.resolve(received);
  // A rejection is handled below, after the messages before it.
  encoded.catch(() => {});
  sending = sending.then(async () => await forward(await encoded)).catch(fail);
});
renderer.on("error", fail);

// Warms up the encoder for the first page.
await encode({ data: new Uint8Array(4), width: 1, height: 1 }, "png");

type Forwarded = Exclude<FromRenderer, { kind: "rendered" }> | Extract<PdfMessage, { kind: "page" }>;

async function encodePage({ pixels, ...page }: RenderedPage): Promise<Forwarded> {
  if (pixels === undefined || current?.picture === undefined) return { kind: "page", page };
  return { kind: "page", page: { ...page, picture: await encode(pixels, current.picture.format) } };
}

async function forward(message: Forwarded): Promise<void> {
  switch (message.kind) {
    case "ready":
      return await parent.ready();
    case "opened":
      return await parent.send(message);
    case "page":
      pictureBytes += message.page.picture?.length ?? 0;
      if (current !== undefined && pictureBytes > current.pictureBytesMax)
        return await finishSpent("pdf-too-complex", "its pictures are too large together");
      await parent.send(message);
      return renderer.postMessage({ kind: "taken" } satisfies ToChild<PdfTask>);
    case "done":
      return await parent.finish(message, process.memoryUsage.rss() > spentBytes);
    case "failed":
      return await parent.finish(message, message.cause !== undefined);
  }
}

function fail(error: unknown): void {
  const isMemory = (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
  void finishSpent(isMemory ? "pdf-too-complex" : "pdf-unreadable", String(error).slice(0, 500));
}

async function finishSpent(code: PdfErrorCode, cause: string): Promise<void> {
  await parent.finish({ kind: "failed", code, cause }, true);
}

sharp.cache(false);

/** Most pages are black on white. One channel instead of four is a fraction of the work and of the bytes. */
async function encode(pixels: Pixels, format: PictureFormat): Promise<Buffer> {
  const { width, height } = pixels;
  const grey = greyOf(pixels.data);
  if (grey !== undefined) free(pixels.data);
  const picture =
    grey === undefined
      ? sharp(pixels.data, { raw: { width, height, channels: 4 }, limitInputPixels: false }).removeAlpha()
      : sharp(grey, { raw: { width, height, channels: 1 }, limitInputPixels: false });
  // Level 4 is twice as fast as the default 6, for a few percent more bytes.
  const encoded = await (
    format === "png" ? picture.png({ compressionLevel: 4 }) : picture.webp({ effort: 2 })
  ).toBuffer();
  free(grey ?? pixels.data);
  return encoded;
}

/** At once: the garbage collector would let a dozen pages of some 10 MB pile up. */
function free(pixels: Uint8Array): void {
  (pixels.buffer as ArrayBuffer).transfer(0);
}

/** One byte per pixel. `undefined`: some pixel has a colour. */
function greyOf(data: Uint8Array): Uint8Array | undefined {
  const pixels = new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4);
  const grey = new Uint8Array(pixels.length);
  for (let index = 0; index < pixels.length; index++) {
    const pixel = pixels[index]!;
    const first = pixel & 255;
    if (first !== ((pixel >>> 8) & 255) || first !== ((pixel >>> 16) & 255)) return undefined;
    grey[index] = first;
  }
  return grey;
}
