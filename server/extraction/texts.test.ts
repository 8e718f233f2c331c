import { expect, test, vi } from "vitest";
import { AppError } from "../lib/errors.ts";
import type { Pdf } from "../pdf/pdf.ts";
import { ProcessError } from "../child-process/process.ts";
import type { Database } from "#storage/database/database.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { seedFiles } from "#tests/support/data/file-rows.ts";
import { createManualClock } from "#tests/support/manual-clock.ts";
import type { ExtractionError } from "./extraction-error.ts";
import type { FileSource } from "./file-source.ts";
import { createTexts } from "./texts.ts";

const never = new AbortController().signal;

/** A stored PDF. `pagesOf` replaces PDFium. */
async function setUp(db: Database, pagesOf: Pdf["pagesOf"]) {
  const [id] = await seedFiles(db, ["beds.pdf"], { type: "application/pdf" });
  const clock = createManualClock();
  const office = { extract: () => Promise.reject(new Error("no office document")), close: async () => {} };
  const logger = { info: vi.fn(), warn: vi.fn() };
  const pdf = { pagesOf, render: async () => {}, close() {} };
  const source: FileSource = {
    name: "beds.pdf",
    type: "application/pdf",
    sizeBytes: 4,
    sha256: "a",
    blobKey: `blob/${id}`,
    cacheKey: `blob/${id}`,
    bytes: () => Promise.resolve(Buffer.from("%PDF")),
  };
  const open = () => createTexts({ db, clock, logger, pdf, office });
  const texts = open();
  const extract = async (from = texts) =>
    await from.extract(source, never).then(
      ({ text }) => text,
      (error: ExtractionError) => error.reason,
    );
  const stored = async () => await db.read.selectFrom("file_texts").selectAll().execute();
  return { clock, open, extract, stored, blobKey: source.blobKey! };
}

describeEveryEngine("the text of a file", (openDb) => {
  test.for([
    ["took too long", new AppError("pdf-too-long")],
    ["took too much", new AppError("pdf-too-complex")],
    ["crashed its reader", new AppError("pdf-unreadable", { cause: new ProcessError("died") })],
  ] as const)("that %s is retried later", async ([, failure]) => {
    const pagesOf = vi.fn<Pdf["pagesOf"]>().mockRejectedValueOnce(failure);
    pagesOf.mockResolvedValue([{ text: "Beans", width: 1, height: 1 }]);
    const { clock, open, extract, stored } = await setUp(await openDb(), pagesOf);
    expect([await extract(), await extract(), pagesOf.mock.calls.length]).toEqual(["away", "away", 1]);
    expect(await stored()).toEqual([]);
    clock.advance(60_000);
    expect(await extract()).toBe("Beans");
    expect(await extract(open())).toBe("Beans");
    expect(pagesOf).toHaveBeenCalledTimes(2);
  });

  test("with a permanent failure is tried once", async () => {
    const pagesOf = vi.fn<Pdf["pagesOf"]>().mockRejectedValue(new AppError("pdf-locked"));
    const { open, extract, stored } = await setUp(await openDb(), pagesOf);
    expect([await extract(), await extract(open())]).toEqual(["locked", "locked"]);
    expect(pagesOf).toHaveBeenCalledTimes(1);
    expect(await stored()).toMatchObject([{ reason: "locked" }]);
  });

  test("that an older version could not extract is extracted again", async () => {
    const db = await openDb();
    const pagesOf = vi.fn<Pdf["pagesOf"]>().mockResolvedValue([{ text: "Beans", width: 1, height: 1 }]);
    const { extract, stored, blobKey } = await setUp(db, pagesOf);
    await db.write(async (tx) => {
      const row = { blob_key: blobKey, reader: 1, reason: "too-large", text: "", is_cut: 0, created_at: 1 };
      await tx.q.insertInto("file_texts").values(row).execute();
    });
    expect(await extract()).toBe("Beans");
    expect(await stored()).toMatchObject([{ reason: null, text: "Beans" }]);
  });
});
