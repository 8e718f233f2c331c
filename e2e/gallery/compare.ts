import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import pixelmatch from "pixelmatch";
import sharp from "sharp";
import { expect } from "vitest";

const folder = new URL("images/", import.meta.url);
const madeWith = new URL("made-with.json", folder);

/** Whether the images are written again instead of compared. */
const isWriting = process.env["GALLERY"] === "write";

/** Colours may differ as much, for edges of letters. */
const threshold = 0.2;
/** As many pixels may differ: fewer than a small icon has. */
const pixelsMax = 60;

let hasWarned = false;

/**
 * Compares a screenshot with the stored image of this name, or stores it. Letters look different in another version of
 * Chromium or on another system: there it is not compared, with a message.
 */
export async function compareImage(name: string, screenshot: Buffer, chromiumVersion: string): Promise<void> {
  const here = { chromium: chromiumVersion.split(".")[0], platform: process.platform };
  const file = new URL(`${name}.png`, folder);
  if (isWriting) {
    mkdirSync(folder, { recursive: true });
    // A palette makes the files a third as large.
    writeFileSync(file, await sharp(screenshot).png({ palette: true, effort: 10 }).toBuffer());
    writeFileSync(madeWith, `${JSON.stringify(here)}\n`);
    return;
  }
  const made = JSON.parse(readFileSync(madeWith, "utf8")) as typeof here;
  if (made.chromium !== here.chromium || made.platform !== here.platform) {
    if (!hasWarned)
      // A warning would fail the test.
      console.info(
        `The gallery is not compared: Chromium ${made.chromium} on ${made.platform} made its images, ` +
          `and this is Chromium ${here.chromium} on ${here.platform}.`,
      );
    hasWarned = true;
    return;
  }
  expect(existsSync(file), `There is no image ${name}. Write it with GALLERY=write.`).toBe(true);
  const [stored, now] = await Promise.all([pixelsOf(readFileSync(file)), pixelsOf(screenshot)]);
  const { width, height } = stored.info;
  expect([now.info.width, now.info.height], `the size of ${name}`).toEqual([width, height]);
  const different = pixelmatch(stored.data, now.data, undefined, width, height, { threshold });
  expect(different, `pixels of ${name} that differ`).toBeLessThanOrEqual(pixelsMax);
}

async function pixelsOf(png: Buffer) {
  return await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
}
