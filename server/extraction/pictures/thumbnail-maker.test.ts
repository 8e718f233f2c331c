import { expect, test, vi } from "vitest";
import sharp from "sharp";
import { createManualClock } from "#tests/support/manual-clock.ts";
import { createThumbnailMaker } from "./thumbnail-maker.ts";

const quiet = { info() {}, warn() {} };

test("retries a picture that took too long, and gives up after the third time", async () => {
  const clock = createManualClock();
  const hurried = createThumbnailMaker({ logger: quiet, clock, timeMs: 1 });
  const bytes = await sharp({ create: { width: 4_000, height: 4_000, channels: 3, background: "red" } })
    .png()
    .toBuffer();
  const read = vi.fn(async () => await Promise.resolve(bytes));
  const ask = async () =>
    await hurried.make("kept/a", read).then(
      (made) => made ?? "none",
      (error: { code?: string }) => error.code,
    );
  expect([await ask(), await ask()]).toEqual(["maintenance", "maintenance"]);
  expect(read).toHaveBeenCalledTimes(1);
  clock.advance(60_000);
  expect(await ask()).toBe("maintenance");
  clock.advance(120_000);
  expect(await ask()).toBe("none");
  hurried.close();
});
