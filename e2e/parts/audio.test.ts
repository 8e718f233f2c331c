import { expect } from "vitest";
import { chat } from "../support/chat.ts";
import { base64, drop, uploaded } from "../support/drop.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { storeThread } from "../support/store-thread.ts";
import { violations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

/** Sixty seconds of a tone that grows louder, at 4,000 samples of a byte per second. */
function growingTone(): Uint8Array {
  const [rate, seconds] = [4_000, 60];
  const wav = Buffer.alloc(44 + rate * seconds);
  wav.write("RIFF", 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write("WAVEfmt ", 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write("data", 36);
  wav.writeUInt32LE(rate * seconds, 40);
  for (let i = 0; i < rate * seconds; i++)
    wav[44 + i] = 128 + 120 * (i / (rate * seconds)) * Math.sin((i * 2 * Math.PI * 200) / rate);
  return wav;
}

test("plays sounds with their waveform, and seeks by keys and presses", async () => {
  const width = 390;
  const ada = await visit(environment.browser, environment.server.url, { width, height: 844 });
  const { page } = ada;
  await chat(page).composer.waitFor();
  const data = base64(growingTone());
  const audio = { type: "audio", audio: { data, format: "wav" } };
  const broken = { type: "audio", audio: { data: base64("no sound"), format: "mp3" } };
  await page.goto(
    await storeThread(page, [
      { role: "user", content: [{ type: "text", text: "Sing" }] },
      { role: "assistant", content: [{ type: "text", text: "La." }, audio, broken] },
    ]),
  );
  const player = page.getByRole("group", { name: "Audio" });
  const position = player.getByRole("slider", { name: "Position" });
  await position.waitFor();
  const at = async () => await position.getAttribute("aria-valuetext");
  expect(await at()).toBe("0:00 of 1:00");
  // The bars grow with the sound.
  const path = (await player.locator("path[d^='M0.2']").first().getAttribute("d"))!;
  const heights = [...path.matchAll(/v(\d[\d.]*)/g)].map(([, height]) => Number(height));
  expect(heights.length).toBe(96);
  expect(heights[20]).toBeLessThan(heights[50]!);
  expect(heights[50]).toBeLessThan(heights[90]!);

  await position.press("ArrowRight");
  await position.press("ArrowRight");
  await position.press("ArrowLeft");
  expect(await at()).toBe("0:05 of 1:00");
  const box = (await position.boundingBox())!;
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await expect.poll(at).toMatch(/^0:(29|30|31) /);
  await position.press(" ");
  await player.getByRole("button", { name: "Pause" }).waitFor();
  await position.press("Home");
  await expect.poll(at).toMatch(/^0:0[1-9] /);
  await player.getByRole("button", { name: "Pause" }).click();
  await player.getByRole("button", { name: "Play" }).waitFor();
  await player.getByRole("button", { name: "Speed 1" }).click();
  expect(
    await page
      .locator("audio")
      .first()
      .evaluate((element) => (element as HTMLAudioElement).playbackRate),
  ).toBe(1.25);

  // What the browser cannot decode keeps its own player.
  const players = page.locator("audio");
  expect(await players.evaluateAll((all) => all.map((one) => (one as HTMLAudioElement).controls))).toEqual([
    false,
    true,
  ]);
  // Nothing moves when the sound is decoded.
  const blocks = await players.evaluateAll((all) => all.map((one) => one.parentElement?.offsetHeight));
  expect(blocks[0]).toBe(blocks[1]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  expect(await violations(page)).toEqual([]);
});

test("plays an attached sound with its waveform", async ({ page }) => {
  const { ask, settled } = chat(page);
  await drop(page, [{ name: "tone.wav", type: "audio/wav", body: base64(growingTone()) }]);
  await uploaded(page);
  await ask("Listen tokens=3");
  await settled();
  const player = page.getByRole("group", { name: "tone.wav" });
  await player.getByRole("slider", { name: "Position" }).press("End");
  const mute = player.getByRole("button", { name: "Mute" });
  const volume = player.getByRole("slider", { name: "Volume" });
  const isMuted = async () =>
    await page
      .locator("audio")
      .first()
      .evaluate((it) => (it as HTMLAudioElement).muted);
  await mute.click();
  expect(await isMuted()).toBe(true);
  expect(await mute.getAttribute("aria-pressed")).toBe("true");
  const shownVolume = async () => await volume.getAttribute("aria-valuetext");
  await expect.poll(shownVolume).toBe("0%");
  await volume.press("ArrowRight");
  await expect.poll(shownVolume).toBe("5%");
  expect(await isMuted()).toBe(false);
  expect(await player.getByRole("slider", { name: "Position" }).getAttribute("aria-valuetext")).toBe(
    "1:00 of 1:00",
  );
  expect(await player.getByRole("link", { name: "Download tone.wav" }).getAttribute("href")).toMatch(
    /download=true$/,
  );
});
