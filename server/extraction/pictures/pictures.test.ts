import { afterAll, expect, test } from "vitest";
import sharp from "sharp";
import { pngOf } from "#fixtures/files/png-bomb.ts";
import { ExhaustedError } from "../office/fault.ts";
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

test("a picture of more pixels than memory is not unfolded", async () => {
  expect(await reasonOf(pngOf(60_000, 60_000))).toBe("too-large");
});

test("what only says that it is a picture is told apart from what is broken", async () => {
  expect(
    await reasonOf(
      Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>"),
    ),
  ).toBe("kind");
  expect(await reasonOf(Buffer.from("no picture at all"))).toBe("kind");
  expect(await reasonOf(pngOf(100, 100_000))).toBe("damaged");
});

test("every kind is made PNG or JPEG, and what is see-through stays so", async () => {
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

test("a picture that takes too long ends its process, and the next one is made ready", async () => {
  const hurried = createPictures({ logger: { warn() {} }, timeMs: 1 });
  const bytes = await sharp({ create: { width: 4_000, height: 4_000, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  await expect(hurried.prepare(bytes, 2_048, never)).rejects.toThrow(ExhaustedError);
  hurried.close();
  const stop = new AbortController();
  const reading = pictures.prepare(bytes, 2_048, stop.signal);
  stop.abort(new Error("stopped"));
  await expect(reading).rejects.toThrow("stopped");
  expect((await sharp((await pictures.prepare(bytes, 1_000, never)).bytes).metadata()).width).toBe(1_000);
});

test("who waits behind others leaves at once when asked to, and they go on", async () => {
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

test("a picture that takes more memory than is allowed ends its process", async () => {
  const narrow = createPictures({ logger: { warn() {} }, timeMs: 20_000, memoryBytesMax: 1_000_000 });
  const bytes = await sharp({ create: { width: 6_000, height: 6_000, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  await expect(narrow.shrink(bytes, 512, never)).rejects.toThrow(ExhaustedError);
  narrow.close();
});
