import { expect, test, vi } from "vitest";
import { AppError } from "../lib/errors.ts";
import type { Pdf } from "../pdf/pdf.ts";
import { ProcessError } from "../child-process/process.ts";
import type { Database } from "#storage/database/database.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { seedFiles } from "#tests/support/file-rows.ts";
import { handClock } from "#tests/support/hand-clock.ts";
import type { FaultError } from "./office/fault.ts";
import type { Source } from "./source.ts";
import { createTexts } from "./texts.ts";

const never = new AbortController().signal;

/** A PDF with its bytes, and what reads it: `pagesOf` is what PDFium does. */
async function bench(db: Database, pagesOf: Pdf["pagesOf"]) {
  const [id] = await seedFiles(db, ["beds.pdf"], { type: "application/pdf" });
  const clock = handClock();
  const office = { read: () => Promise.reject(new Error("no office document")), close: async () => {} };
  const logger = { info: vi.fn(), warn: vi.fn() };
  const pdf = { pagesOf, draw: async () => {}, close() {} };
  const source: Source = {
    name: "beds.pdf",
    type: "application/pdf",
    sizeBytes: 4,
    sha256: "a",
    blobKey: `blob/${id}`,
    atHandKey: `blob/${id}`,
    bytes: () => Promise.resolve(Buffer.from("%PDF")),
  };
  const open = () => createTexts({ db, clock, logger, pdf, office });
  const texts = open();
  const read = async (of = texts) =>
    await of.of(source, never).then(
      ({ text }) => text,
      (error: FaultError) => error.reason,
    );
  const kept = async () => await db.read.selectFrom("file_texts").selectAll().execute();
  return { clock, open, read, kept, blobKey: source.blobKey! };
}

describeEveryEngine("the text of a file", (openDb) => {
  test.for([
    ["took too long", new AppError("pdf-too-long")],
    ["took too much", new AppError("pdf-too-complex")],
    ["ended what reads it", new AppError("pdf-unreadable", { cause: new ProcessError("died") })],
  ] as const)("that %s is not given up for good", async ([, failure]) => {
    const pagesOf = vi.fn<Pdf["pagesOf"]>().mockRejectedValueOnce(failure);
    pagesOf.mockResolvedValue([{ text: "Beans", width: 1, height: 1 }]);
    const { clock, open, read, kept } = await bench(await openDb(), pagesOf);
    expect([await read(), await read(), pagesOf.mock.calls.length]).toEqual(["away", "away", 1]);
    expect(await kept()).toEqual([]);
    clock.advance(60_000);
    expect(await read()).toBe("Beans");
    expect(await read(open())).toBe("Beans");
    expect(pagesOf).toHaveBeenCalledTimes(2);
  });

  test("that cannot be read for what its bytes are is tried once", async () => {
    const pagesOf = vi.fn<Pdf["pagesOf"]>().mockRejectedValue(new AppError("pdf-locked"));
    const { open, read, kept } = await bench(await openDb(), pagesOf);
    expect([await read(), await read(open())]).toEqual(["locked", "locked"]);
    expect(pagesOf).toHaveBeenCalledTimes(1);
    expect(await kept()).toMatchObject([{ reason: "locked" }]);
  });

  test("that an older reader could not read is read again", async () => {
    const db = await openDb();
    const pagesOf = vi.fn<Pdf["pagesOf"]>().mockResolvedValue([{ text: "Beans", width: 1, height: 1 }]);
    const { read, kept, blobKey } = await bench(db, pagesOf);
    await db.write(async (tx) => {
      const row = { blob_key: blobKey, reader: 1, reason: "too-large", text: "", is_cut: 0, created_at: 1 };
      await tx.q.insertInto("file_texts").values(row).execute();
    });
    expect(await read()).toBe("Beans");
    expect(await kept()).toMatchObject([{ reason: null, text: "Beans" }]);
  });
});
