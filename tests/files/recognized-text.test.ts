import { appendFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { askWithFiles } from "../support/clients/ask-about-files.ts";
import type { Visitor } from "../support/clients/visitor.ts";
import { storeFile } from "../search/store-files.ts";
import { gardenPng } from "../support/data/files.ts";
import { unreadFilesOf } from "../support/data/model-input.ts";
import { scannedPdf, scannedPicture } from "../support/data/scanned-page.ts";
import { runCommand } from "../support/servers/cli.ts";
import { describeServer, type TestServer } from "../support/servers/server.ts";

const wordsOf = (text: string): string[] => text.match(/[A-Za-z]{3,}|\d+/g) ?? [];

const letter = [
  "Minutes of the allotment society",
  "The members met on Tuesday evening in the old greenhouse.",
  "The treasurer reported a balance of 1482 euros.",
  "Everybody agreed to plant seventeen apple trees in March.",
  "The next meeting takes place after the harvest.",
];

let picture: Buffer;
beforeAll(async () => void (picture = await scannedPicture(letter)));

/** How many of the letter's words are in a text. */
function shareOfWords(text: string): number {
  const found = new Set(wordsOf(text));
  const words = letter.flatMap(wordsOf);
  return words.filter((word) => found.has(word)).length / words.length;
}

const add = async (server: TestServer) => {
  // From npm's cache, if the packages are there.
  const { code, err } = await runCommand(server.place, ["add", "ocr"]);
  expect(code, err).toBe(0);
};

const textOf = async (who: Visitor, file_id: string) => await who.call("files.text", { params: { file_id } });

describeServer(
  "scanned pages and a model that reads no pictures",
  { model: true, on: ["sqlite"], settings: { MODEL_READS: "text" } },
  (server) => {
    const askAbout = async (name: string, bytes: Buffer, type: string) =>
      await askWithFiles(server(), server().inNewWorkspace(), [{ name, bytes, type }]);

    // In this order: the server runs when the extra is added.
    test("are left out without the extra, with what would help", { timeout: 60_000 }, async () => {
      const scan = await askAbout("minutes.pdf", await scannedPdf([picture]), "application/pdf");
      expect(scan.told.texts).not.toContain("greenhouse");
      expect(unreadFilesOf(scan.reply.parts)).toEqual([
        { name: "minutes.pdf", reason: "no-text", extra: "ocr" },
      ]);
      const photo = await askAbout("minutes.jpg", picture, "image/jpeg");
      expect(unreadFilesOf(photo.reply.parts)).toEqual([
        { name: "minutes.jpg", reason: "model", extra: "ocr" },
      ]);
    });

    test("are read as text as soon as the extra is added", { timeout: 120_000 }, async () => {
      await add(server());
      const who = server().inNewWorkspace();
      const pdf = await scannedPdf([undefined, picture]);
      const scan = await askWithFiles(server(), who, [
        { name: "minutes.pdf", bytes: pdf, type: "application/pdf" },
      ]);
      expect(scan.told.texts).toContain("the text of 1 of them is recognized from pictures");
      expect(scan.told.texts).toMatch(/--- page 1 ---\nCover\n--- page 2 ---\n/);
      expect(shareOfWords(scan.told.texts)).toBeGreaterThan(0.9);
      // The person is told too.
      expect(unreadFilesOf(scan.reply.parts)).toEqual([{ name: "minutes.pdf", reason: "recognized" }]);

      const photo = await askAbout("minutes.jpg", picture, "image/jpeg");
      expect(photo.told.texts).toContain("its text is recognized from a picture");
      expect(shareOfWords(photo.told.texts)).toBeGreaterThan(0.9);
      expect(unreadFilesOf(photo.reply.parts)).toEqual([{ name: "minutes.jpg", reason: "recognized" }]);
    });

    test("without text are named, and nothing is missing", { timeout: 60_000 }, async () => {
      const photo = await askAbout("garden.png", gardenPng, "image/png");
      expect(unreadFilesOf(photo.reply.parts)).toEqual([{ name: "garden.png", reason: "model" }]);
    });

    test("are not read with files that somebody changed", { timeout: 60_000 }, async () => {
      const folder = join(server().place.dataDir, "extras", "ocr");
      expect(await readdir(folder)).toContain("eng.traineddata.gz");
      await appendFile(join(folder, "core.cjs"), "\nthrow new Error();");
      const listed = await runCommand(server().place, ["extras"]);
      expect(listed.out).toMatch(/ocr .* damaged/);
      expect((await (await server().owner()).call("health.report")).extras).toEqual([
        { name: "ocr", state: "damaged", languages: ["eng"], command: "npm run cli -- add ocr" },
      ]);
    });
  },
);

describeServer("the text of a scan", {}, (server) => {
  test("is recognized in the background, and said to be", { timeout: 120_000 }, async () => {
    await add(server());
    const who = server().inNewWorkspace();
    const { fileId: file_id } = await storeFile(who, "minutes.pdf", await scannedPdf([picture]));
    await expect
      .poll(async () => await textOf(who, file_id), { timeout: 60_000 })
      .toMatchObject({ recognized_pages: 1, complete: true, reason: null });
    expect(shareOfWords((await textOf(who, file_id)).text!)).toBeGreaterThan(0.9);
  });
});
