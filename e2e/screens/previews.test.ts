import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { garden } from "#fixtures/office/documents.ts";
import { document as pdfOf, line } from "#fixtures/pdf/write.ts";
import { chat } from "../support/chat.ts";
import { base64, drop, type DroppedFile, uploaded } from "../support/drop.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

const plan = garden("docx");
const columns = ["fruit", "price", "harvest", "orchard", "keeper", "weight", "colour", "a long remark"];

const files: DroppedFile[] = [
  {
    name: "lease.pdf",
    type: "application/pdf",
    body: base64(pdfOf([{ content: line("Lease") }, { content: line("Signed") }])),
  },
  { name: "prices.csv", type: "text/csv", body: base64(`${columns.join(",")}\napple,1.20,,,,,,sweet\n`) },
  { name: "notes.txt", type: "text/plain", body: base64(`Water the roses.\n${"long".repeat(100)}`) },
  { name: "nothing.txt", type: "text/plain", body: "" },
  { name: "plan.docx", type: "", body: base64(plan) },
  { name: "sums.xlsx", type: "", body: base64(garden("xlsx")) },
  { name: "chime.wav", type: "audio/wav", body: base64(chime(0.5)) },
];

test("previews PDF pages, tables, texts, office documents and audio, and downloads them, on a phone", async () => {
  const width = 390;
  const ada = await visit(environment.browser, environment.server.url, { width });
  const { ask, settled, questions } = chat(ada.page);
  await drop(ada.page, files);
  await uploaded(ada.page);
  await ask("Look at all of these tokens=3");
  await settled();
  const question = questions.first();
  const look = (name: string) => ada.page.getByRole("dialog", { name });
  const opened = async (name: string) => {
    await question.getByRole("button", { name }).click();
    await look(name).waitFor();
    expect((await look(name).boundingBox())!.width).toBeLessThanOrEqual(width);
    return look(name);
  };
  const close = async (name: string) => {
    await look(name).getByRole("button", { name: "Close" }).click();
    await look(name).waitFor({ state: "detached" });
  };
  /** Wide content scrolls in its own box. */
  const staysInPlace = async () =>
    expect(await ada.page.evaluate("document.documentElement.scrollWidth")).toBe(width);

  const pages = (await opened("lease.pdf")).getByRole("img");
  await expect
    .poll(
      async () =>
        await pages.evaluateAll((images) =>
          images.map((image) => (image as { naturalWidth?: number }).naturalWidth),
        ),
    )
    .toEqual([1_240, 1_240]);
  expect((await pages.first().boundingBox())!.width).toBeLessThan(width);
  await close("lease.pdf");

  const table = await opened("prices.csv");
  await table.getByRole("cell", { name: "apple" }).waitFor();
  expect(await table.getByRole("columnheader").allInnerTexts()).toEqual(columns);
  await staysInPlace();
  await close("prices.csv");

  const words = (await opened("notes.txt")).getByText("Water the roses.");
  await words.waitFor();
  expect((await words.boundingBox())!.width).toBeLessThan(width);
  await close("notes.txt");

  await (await opened("nothing.txt")).getByText("This file is empty.").waitFor();
  await close("nothing.txt");

  const plant = await opened("plan.docx");
  await plant.getByText("Tomatoes need warm nights.").waitFor();
  await plant.getByText(/^Text · \d/).waitFor();
  await close("plan.docx");
  await (await opened("sums.xlsx")).getByText("Tomato, red").waitFor();
  await staysInPlace();
  await close("sums.xlsx");
  await (await opened("chime.wav")).getByText(/^Audio · \d/).waitFor();
  await close("chime.wav");
  const saving = ada.page.waitForEvent("download");
  await question.getByRole("link", { name: "Download plan.docx" }).click();
  expect(readFileSync(await (await saving).path()).equals(plan)).toBe(true);

  const sound = question.locator("audio");
  expect(await sound.getAttribute("aria-label")).toBe("chime.wav");
  await expect
    .poll(async () => await sound.evaluate((player) => (player as { duration?: number }).duration))
    .toBeCloseTo(0.5, 1);
  await sound.evaluate(async (player) => await (player as unknown as { play(): Promise<void> }).play());
  await expect
    .poll(async () => await sound.evaluate((player) => (player as { ended?: boolean }).ended))
    .toBe(true);
  await staysInPlace();
});

/** A tone as a mono WAV with 8,000 samples per second. */
function chime(seconds: number): Buffer {
  const rate = 8_000;
  const samples = Buffer.from(
    Array.from({ length: rate * seconds }, (_, at) => 128 + Math.round(60 * Math.sin(at / 3))),
  );
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
