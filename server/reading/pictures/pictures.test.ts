import { deflateSync, crc32 } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import sharp from "sharp";
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

/** A PNG that says it is so large; its pixels are all of one colour. */
function pngOf(width: number, height: number): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 1;
  const rows = deflateSync(Buffer.alloc(1_000));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", rows),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

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
  await expect(hurried.prepare(bytes, 2_048, never)).rejects.toMatchObject({ reason: "too-large" });
  hurried.close();
  const stop = new AbortController();
  const reading = pictures.prepare(bytes, 2_048, stop.signal);
  stop.abort(new Error("stopped"));
  await expect(reading).rejects.toThrow("stopped");
  expect((await sharp((await pictures.prepare(bytes, 1_000, never)).bytes).metadata()).width).toBe(1_000);
});
