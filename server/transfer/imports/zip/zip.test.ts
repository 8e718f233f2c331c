import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { zipListing, zipped } from "#tests/support/data/zips.ts";
import { openFile } from "../upload.ts";
import { openZip, uploadLimits } from "./zip.ts";

let folder = "";
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "parlance-zip-"))));
afterAll(async () => await rm(folder, { recursive: true, force: true }));

let uploads = 0;
async function upload(zip: Buffer) {
  const path = join(folder, `${uploads++}.zip`);
  await writeFile(path, zip);
  return await openFile(path);
}

describe("a zip", () => {
  test("whose list of files is longer than one piece is listed and read", async () => {
    // More than a mebibyte of names.
    const names = Array.from({ length: 25 }, (_, at) => `${"n".repeat(60_000)}-${at}.txt`);
    const file = await upload(await zipped(Object.fromEntries(names.map((name) => [name, name]))));
    try {
      const { entries, admit } = await openZip(file, { entries: 25, unpackedBytes: 2_000_000 });
      expect(entries.map(({ name }) => name)).toEqual(names);
      admit(entries);
      for (const at of [0, 12, 24])
        expect((await buffer(entries[at]!.read() as never)).toString()).toBe(names[at]);
      expect(() => admit(entries)).toThrow("import-unsafe");
    } finally {
      await file.close();
    }
  });

  test(
    "with 60,000 files gives other work its turn again and again while it is listed",
    { timeout: 60_000 },
    async () => {
      const file = await upload(zipListing(60_000));
      let turns = 0;
      let isListing = true;
      const countTurn = () => {
        turns++;
        if (isListing) setImmediate(countTurn);
      };
      setImmediate(countTurn);
      const { entries } = await openZip(file, uploadLimits);
      isListing = false;
      expect(entries).toHaveLength(60_000);
      // Listing a hundred takes a few milliseconds.
      expect(turns).toBeGreaterThanOrEqual(600);
      await file.close();
    },
  );

  test("with more files than the limit is not listed", async () => {
    const file = await upload(zipListing(3));
    await expect(openZip(file, { entries: 2, unpackedBytes: 1_000 })).rejects.toThrow(
      "import-too-many-files",
    );
    await file.close();
  });

  test("of a person with more than 100,000 files is refused at once", async () => {
    const file = await upload(zipListing(100_001));
    await expect(openZip(file, uploadLimits)).rejects.toThrow("import-too-many-files");
    await file.close();
  });
});
