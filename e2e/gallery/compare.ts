import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import pixelmatch from "pixelmatch";
import sharp from "sharp";
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";

const folder = new URL("images/", import.meta.url);
const madeWith = new URL("made-with.json", folder);

/** Whether the images are written again instead of compared. */
const isWriting = process.env["GALLERY"] === "write";

/** Colours may differ as much, for edges of letters. */
const threshold = 0.2;
/** As many pixels may differ: fewer than one digit in place of another has. */
const pixelsMax = 15;

/** 1.5 s: after that nothing on the page changes any more. */
const settledMs = 1_500;
/** 30 s: on a busy machine, the first screenshot of a frame that starts has taken more than 10. */
const matchesWithinMs = 30_000;
const pauseMs = 100;

const hereOf = (chromiumVersion: string) => ({
  chromium: chromiumVersion.split(".")[0],
  platform: process.platform,
});

/** Why images are not compared here: letters look different in another version of Chromium or on another system. */
export function reasonNotToCompare(chromiumVersion: string): string | undefined {
  const here = hereOf(chromiumVersion);
  const made = JSON.parse(readFileSync(madeWith, "utf8")) as typeof here;
  if (isWriting || (made.chromium === here.chromium && made.platform === here.platform)) return undefined;
  return (
    `The gallery is not compared: Chromium ${made.chromium} on ${made.platform} made its images, ` +
    `and this is Chromium ${here.chromium} on ${here.platform}.`
  );
}

/**
 * Waits until a screenshot is the same as the stored image of this name, or stores it. Only waits if there is a reason not
 * to compare.
 */
export async function compareImage(
  name: string,
  takeScreenshot: () => Promise<Buffer>,
  chromiumVersion: string,
): Promise<void> {
  const file = new URL(`${name}.png`, folder);
  if (isWriting) {
    await setTimeout(settledMs);
    mkdirSync(folder, { recursive: true });
    // A palette makes the files a third as large.
    const png = sharp(await takeScreenshot()).png({ palette: true, effort: 10 });
    writeFileSync(file, await png.toBuffer());
    const { chromium, platform } = hereOf(chromiumVersion);
    // As the formatter writes it.
    writeFileSync(madeWith, `{ "chromium": "${chromium}", "platform": "${platform}" }\n`);
    return;
  }
  if (reasonNotToCompare(chromiumVersion) !== undefined) return await setTimeout(settledMs);
  expect(existsSync(file), `There is no image ${name}. Write it with GALLERY=write.`).toBe(true);
  const stored = await pixelsOf(readFileSync(file));
  let compared: { png: Buffer; difference: string | undefined } | undefined;
  const difference = async () => {
    const png = await takeScreenshot();
    if (compared?.png.equals(png) !== true)
      compared = { png, difference: describeDifference(stored, await pixelsOf(png)) };
    return compared.difference;
  };
  await expect
    .poll(difference, { message: name, interval: pauseMs, timeout: matchesWithinMs })
    .toBeUndefined();
  // And stays so.
  await setTimeout(pauseMs);
  expect(await difference(), name).toBeUndefined();
}

type Pixels = Awaited<ReturnType<typeof pixelsOf>>;

function describeDifference(stored: Pixels, now: Pixels): string | undefined {
  const { width, height } = stored.info;
  if (now.info.width !== width || now.info.height !== height)
    return `${now.info.width} × ${now.info.height} instead of ${width} × ${height}`;
  const different = pixelmatch(stored.data, now.data, undefined, width, height, {
    threshold,
    includeAA: true,
  });
  return different > pixelsMax ? `${different} pixels differ` : undefined;
}

async function pixelsOf(png: Buffer) {
  return await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
}
