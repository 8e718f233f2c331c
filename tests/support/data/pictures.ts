import sharp from "sharp";

/** Makes `count` different pictures. */
export async function makePictures(count: number): Promise<{ name: string; bytes: Buffer; type: string }[]> {
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => ({
      name: `picture-${index + 1}.png`,
      type: "image/png",
      bytes: await sharp({
        create: { width: 20, height: 20, channels: 3, background: { r: 20 * index, g: 90, b: 40 } },
      })
        .png()
        .toBuffer(),
    })),
  );
}
