import sharp from "sharp";
import type { PictureFormat } from "../pdf-process-messages.ts";
import type { Pixels } from "./document.ts";

sharp.cache(false);

/** Most pages are black on white. One channel instead of four is a fraction of the work and of the bytes. */
export async function encode(pixels: Pixels, format: PictureFormat): Promise<Buffer> {
  const { width, height } = pixels;
  const grey = greyOf(pixels.data);
  const picture =
    grey === undefined
      ? sharp(pixels.data, { raw: { width, height, channels: 4 }, limitInputPixels: false }).removeAlpha()
      : sharp(grey, { raw: { width, height, channels: 1 }, limitInputPixels: false });
  // Level 4 is twice as fast as the default 6, for a few percent more bytes.
  return await (
    format === "png" ? picture.png({ compressionLevel: 4 }) : picture.webp({ effort: 2 })
  ).toBuffer();
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
