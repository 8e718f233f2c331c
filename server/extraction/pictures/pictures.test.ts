import { afterAll, expect, test } from "vitest";
import sharp from "sharp";
import { pngOf } from "#fixtures/files/png-bomb.ts";
import { ExtractionLimitError } from "../extraction-error.ts";
import { createPictures } from "./pictures.ts";

const warnings: unknown[] = [];
const pictures = createPictures({
  logger: { warn: (fields: unknown) => void warnings.push(fields) },
  timeMs: 20_000,
});
afterAll(() => pictures.close());

const never = new AbortController().signal;
const reasonOf = async (bytes: Uint8Array) =>
  await pictures.prepare(bytes, 2_048, never).then(
    () => "prepared",
    (error: { reason?: string }) => error.reason,
  );

test("does not decode a picture with too many pixels", async () => {
  expect(await reasonOf(pngOf(60_000, 60_000))).toBe("too-large");
});

test("distinguishes unknown formats from damaged pictures", async () => {
  expect(
    await reasonOf(
      Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>"),
    ),
  ).toBe("kind");
  expect(await reasonOf(Buffer.from("no picture at all"))).toBe("kind");
  expect(await reasonOf(pngOf(100, 100_000))).toBe("damaged");
});

test("converts every format to PNG or JPEG, and keeps transparency", async () => {
  const square = sharp({ create: { width: 8, height: 8, channels: 4, background: "#00000000" } });
  for (const picture of [
    square.clone().webp(),
    square.clone().gif(),
    square.clone().tiff({ compression: "lzw" }),
    square.clone().avif(),
  ]) {
    const { mediaType, bytes } = await pictures.prepare(await picture.toBuffer(), 2_048, never);
    const { format, hasAlpha } = await sharp(bytes).metadata();
    expect([`image/${format}`, hasAlpha]).toEqual([mediaType, true]);
  }
});

test("kills the process of a picture that takes too long, and converts the next one", async () => {
  const hurried = createPictures({ logger: { warn() {} }, timeMs: 1 });
  const bytes = await sharp({ create: { width: 4_000, height: 4_000, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  await expect(hurried.prepare(bytes, 2_048, never)).rejects.toThrow(ExtractionLimitError);
  hurried.close();
  const stop = new AbortController();
  const preparing = pictures.prepare(bytes, 2_048, stop.signal);
  stop.abort(new Error("stopped"));
  await expect(preparing).rejects.toThrow("stopped");
  expect((await sharp((await pictures.prepare(bytes, 1_000, never)).bytes).metadata()).width).toBe(1_000);
});

test("rejects an aborted waiting task at once, and continues with the others", async () => {
  const bytes = await sharp({ create: { width: 3_000, height: 3_000, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  const first = pictures.prepare(bytes, 1_000, never);
  let isFirstDone = false;
  void first.then(() => (isFirstDone = true));
  const stop = new AbortController();
  const second = pictures.prepare(bytes, 1_000, stop.signal);
  stop.abort(new Error("stopped"));
  await expect(second).rejects.toThrow("stopped");
  expect(isFirstDone).toBe(false);
  expect((await first).mediaType).toBe("image/jpeg");
});

test("kills the process of a picture that takes too much memory", async () => {
  const narrow = createPictures({ logger: { warn() {} }, timeMs: 20_000, memoryBytesMax: 1_000_000 });
  const bytes = await sharp({ create: { width: 6_000, height: 6_000, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  await expect(narrow.shrink(bytes, 512, never)).rejects.toThrow(ExtractionLimitError);
  narrow.close();
});
