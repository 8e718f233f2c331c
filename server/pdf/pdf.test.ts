import { afterAll, beforeAll, describe, expect, test } from "vitest";
import sharp, { type Region } from "sharp";
import type { ErrorCode } from "#contract/errors.ts";
import { samples, type Sample } from "#fixtures/pdf/corpus.ts";
import { document, line, pagesOf } from "#fixtures/pdf/write.ts";
import { AppError } from "#server/lib/errors.ts";
import { createPdf, type Pdf, type PdfOptions, type ReadPage } from "./pdf.ts";

const warnings: unknown[] = [];
const logger = { warn: (fields: unknown) => void warnings.push(fields) };
const open: Pdf[] = [];
function pdfWith(options: Partial<PdfOptions> = {}): Pdf {
  const pdf = createPdf({ logger, processes: 1, ...options });
  open.push(pdf);
  return pdf;
}
afterAll(() => open.forEach((pdf) => pdf.close()));

const never = new AbortController().signal;
const plain = document([{ content: line("Garden") }]);
/** A few hundred kilobytes that take minutes to render. */
const endless = () => samples.find(({ name }) => name === "a bomb of lines")!.bytes();

type Outcome = { code: ErrorCode } | { pages: ReadPage[] };

async function outcomeOf(pdf: Pdf, bytes: Uint8Array, signal = never): Promise<Outcome> {
  const pages: ReadPage[] = [];
  let pageCount = 0;
  const listener = {
    opened: (count: number) => void (pageCount = count),
    page: (page: ReadPage) => void pages.push(page),
  };
  try {
    await pdf.render(bytes, "png", listener, signal);
  } catch (error) {
    if (error instanceof AppError) return { code: error.code };
    throw error;
  }
  expect(pages.map(({ number }) => number)).toEqual(
    Array.from({ length: pageCount }, (_, index) => index + 1),
  );
  return { pages };
}

describe("a PDF of the corpus", () => {
  let pdf: Pdf;
  beforeAll(() => (pdf = pdfWith()));

  test("is one of many with unique names", () => {
    expect(samples.length).toBeGreaterThan(120);
    expect(new Set(samples.map(({ name }) => name)).size).toBe(samples.length);
  });

  test.for(samples.filter((sample) => !("bomb" in sample)))("$name", async (sample) => {
    await expectOutcome(sample, await outcomeOf(pdf, sample.bytes()));
  });

  test("has the same bytes every time", () => {
    for (const { bytes } of samples.slice(0, 20)) expect(bytes().equals(bytes())).toBe(true);
  });

  async function expectOutcome(sample: Sample, outcome: Outcome): Promise<void> {
    if ("code" in sample) expect(outcome).toEqual({ code: sample.code });
    if (!("pages" in sample)) return;
    if (!("pages" in outcome)) throw new Error(`refused with ${outcome.code}`);
    expect(outcome.pages).toHaveLength(sample.pages);
    const first = outcome.pages[0]!;
    const { width, height, format } = await sharp(first.picture).metadata();
    expect([width, height, format]).toEqual([first.width, first.height, "png"]);
    if (sample.size !== undefined) expect([width, height]).toEqual(sample.size);
    if (sample.scaled === true) expect(width * height).toBeLessThanOrEqual(16_000_000);
    if (sample.text === "") expect(first.text).toBe("");
    else if (sample.text !== undefined) expect(first.text).toContain(sample.text);
    if (sample.anyText !== undefined) expect(sample.anyText).toContain(first.text);
  }
});

describe("a PDF that never ends", () => {
  let pdf: Pdf;
  beforeAll(() => (pdf = pdfWith({ timeMs: 500 })));

  test.for(samples.filter((sample) => "bomb" in sample))("$name", { timeout: 30_000 }, async ({ bytes }) => {
    const outcome = await outcomeOf(pdf, bytes());
    expect(["pdf-too-long", "pdf-too-complex"]).toContain("code" in outcome ? outcome.code : "read");
  });

  test("does not affect the next document", { timeout: 30_000 }, async () => {
    expect((await pdfWith().pagesOf(plain, never))[0]?.text).toBe("Garden");
  });
});

describe("a page", () => {
  test("shows form values and annotations, and no hidden layers", async () => {
    const pdf = pdfWith();
    const pictureOf = async (name: string) => {
      const outcome = await outcomeOf(pdf, samples.find((sample) => sample.name === name)!.bytes());
      return (outcome as { pages: ReadPage[] }).pages[0]!.picture!;
    };
    const partOf = async (picture: Uint8Array, place: Region) =>
      await sharp(await sharp(picture).extract(place).toBuffer()).stats();
    const darkest = async (picture: Uint8Array, top: number) =>
      (await partOf(picture, { left: 150, top, width: 400, height: 60 })).channels[0]!.min;
    // The field is 600 to 630 points above the foot of a page of 842, the hidden line at 700.
    expect(await darkest(await pictureOf("a form that is filled in"), 445)).toBeLessThan(100);
    const layers = await pictureOf("layers, one of them hidden");
    expect(await darkest(layers, 130)).toBeLessThan(100);
    expect(await darkest(layers, 255)).toBe(255);
    const noted = await partOf(await pictureOf("notes and marks"), {
      left: 155,
      top: 115,
      width: 20,
      height: 5,
    });
    expect(noted.channels[2]!.mean).toBeLessThan(noted.channels[0]!.mean);
  });

  test("is rendered as WebP too, or only its text is read", async () => {
    const pdf = pdfWith();
    const pages: ReadPage[] = [];
    await pdf.render(plain, "webp", { opened() {}, page: (page) => void pages.push(page) }, never);
    expect((await sharp(pages[0]!.picture).metadata()).format).toBe("webp");
    expect(await pdf.pagesOf(plain, never)).toEqual([{ text: "Garden", width: 595, height: 842 }]);
  });

  test("of a document over the size limit is refused", async () => {
    await expect(pdfWith().pagesOf(Buffer.alloc(25 * 1024 * 1024 + 1), never)).rejects.toMatchObject({
      code: "pdf-too-large",
    });
  });
});

describe("the processes", () => {
  test("are killed when the signal aborts", async () => {
    const pdf = pdfWith();
    const gone = new AbortController();
    const reason = new Error("gone");
    const reading = pdf.render(
      endless(),
      "png",
      { opened: () => gone.abort(reason), page() {} },
      gone.signal,
    );
    await expect(reading).rejects.toBe(reason);
    await expect(pdf.pagesOf(plain, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect((await pdf.pagesOf(plain, never))[0]?.text).toBe("Garden");
  });

  test("queue documents up to a limit, and drop aborted ones", async () => {
    const pdf = pdfWith({ waitingMax: 2 });
    const [first, second] = [new AbortController(), new AbortController()];
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const busy = pdf.render(endless(), "png", { opened: () => resolve(), page() {} }, first.signal);
    await begun;
    const leaves = pdf.pagesOf(plain, second.signal);
    const stays = pdf.pagesOf(plain, never);
    await expect(pdf.pagesOf(plain, never)).rejects.toMatchObject({ code: "too-many-pdfs" });
    second.abort(new Error("left"));
    await expect(leaves).rejects.toThrow("left");
    first.abort(new Error("enough"));
    await expect(busy).rejects.toThrow("enough");
    expect((await stays)[0]?.text).toBe("Garden");
  });

  test("stay below the memory limit", async () => {
    const pdf = pdfWith({ memoryBytesMax: 64 * 1024 * 1024 });
    await expect(pdf.pagesOf(plain, never)).rejects.toMatchObject({ code: "pdf-too-complex" });
    expect(warnings.splice(0)).not.toEqual([]);
  });

  test("send pages in order, however long each takes", async () => {
    const mixed = document(
      pagesOf(9, (number) => ({ mediaBox: number % 3 === 1 ? "[0 0 1500 1500]" : "[0 0 72 72]" })),
    );
    const outcome = (await outcomeOf(pdfWith(), mixed)) as { pages: ReadPage[] };
    expect(outcome.pages.map(({ width }) => width > 200)).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => number % 3 === 1),
    );
  });

  test("are killed when the pool closes, and no document is read afterwards", async () => {
    const pdf = pdfWith();
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const busy = pdf.render(endless(), "png", { opened: () => resolve(), page() {} }, never);
    busy.catch(() => {});
    await begun;
    pdf.close();
    await expect(busy).rejects.toMatchObject({ code: "maintenance" });
    await expect(pdf.pagesOf(plain, never)).rejects.toMatchObject({ code: "maintenance" });
  });
});
