import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { createPdf, type Pdf } from "#server/pdf/pdf.ts";
import { pdfDocuments } from "../support/pdf-documents.ts";
import { median, type Bench, type Figure } from "../support/report.ts";

const run = promisify(execFile);
const rounds = 5;
const minRatio = 4;
/** As a share of the full range, averaged over all pixels. Renderers smooth letters differently. */
const maxDifference = 0.02;

/** Renders PDF pages as PNG at 150 dpi, compared with Poppler's `pdftoppm -r 150 -png`. */
export const pdf: Bench = {
  about: "pages of a PDF rendered as PNG at 150 dots per inch, beside pdftoppm on the same files",
  async run() {
    const hasPoppler = await installPoppler();
    if (!hasPoppler)
      console.log("  pdftoppm is not installed and this user cannot install it, so there is no baseline");
    const folder = await mkdtemp(join(tmpdir(), "parlance-bench-pdf-"));
    const reader = createPdf({ logger: { warn: (facts: unknown) => console.warn(facts) }, processes: 1 });
    try {
      const cold = await firstPageMs(reader, pdfDocuments[0]!.bytes);
      const warm = await firstPageMs(reader, pdfDocuments[0]!.bytes);
      const figures: Figure[] = [];
      for (const { name, bytes, pages } of pdfDocuments) {
        const path = join(folder, `${name}.pdf`);
        await writeFile(path, bytes);
        const [ours, theirs]: number[][] = [[], []];
        for (let round = 0; round < rounds; round++) {
          ours!.push(await timed(async () => void (await render(reader, bytes))));
          if (hasPoppler) theirs!.push(await timed(async () => await poppler(path)));
        }
        figures.push(...(await compared({ name, bytes, pages, path }, ours!, theirs!, reader)));
      }
      return [
        ...figures,
        { what: "first page of 20, with a new process", unit: "ms", ours: cold },
        { what: "first page of 20, with a waiting process", unit: "ms", ours: warm },
      ];
    } finally {
      reader.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function compared(
  { name, bytes, pages, path }: { name: string; bytes: Buffer; pages: number; path: string },
  ours: number[],
  theirs: number[],
  reader: Pdf,
): Promise<Figure[]> {
  const speed: Figure = {
    what: `${name}, ${pages} pages`,
    unit: "pages/s",
    ours: (pages * 1_000) / median(ours),
  };
  if (theirs.length === 0) return [speed];
  const baseline = (pages * 1_000) / median(theirs);
  const difference = await differenceOf(await render(reader, bytes), await poppler(path));
  return [
    {
      ...speed,
      baseline,
      against: "pdftoppm",
      aim: `at least ${minRatio} times as many`,
      met: speed.ours >= minRatio * baseline,
    },
    {
      what: `${name}: mean difference of a pixel from pdftoppm's, of the full range`,
      unit: "",
      ours: difference,
      aim: `at most ${maxDifference}`,
      met: difference <= maxDifference,
    },
  ];
}

async function render(reader: Pdf, bytes: Buffer): Promise<Uint8Array[]> {
  const pictures: Uint8Array[] = [];
  const page = ({ picture }: { picture?: Uint8Array }) => void pictures.push(picture!);
  await reader.render(bytes, "png", { opened() {}, page }, new AbortController().signal);
  return pictures;
}

/** Milliseconds until the first page. The others are rendered too, so that the process is kept. */
async function firstPageMs(reader: Pdf, bytes: Buffer): Promise<number> {
  const startMs = performance.now();
  let firstMs = 0;
  const page = ({ number }: { number: number }) => {
    if (number === 1) firstMs = performance.now() - startMs;
  };
  await reader.render(bytes, "png", { opened() {}, page }, new AbortController().signal);
  return firstMs;
}

async function poppler(path: string): Promise<Buffer[]> {
  const folder = await mkdtemp(`${path}-`);
  await run("pdftoppm", ["-r", "150", "-png", path, join(folder, "page")]);
  const names = (await readdir(folder)).toSorted();
  const pictures = await Promise.all(names.map(async (name) => await readFile(join(folder, name))));
  await rm(folder, { recursive: true });
  return pictures;
}

/** The mean difference of the grey values of pixels. Sizes may differ by a pixel; only the common part counts. */
async function differenceOf(ours: Uint8Array[], theirs: Buffer[]): Promise<number> {
  if (ours.length !== theirs.length) throw new Error(`${ours.length} pages beside ${theirs.length}`);
  let [sum, count] = [0, 0];
  for (const [index, picture] of ours.entries()) {
    const [a, b] = [await sharp(picture).metadata(), await sharp(theirs[index]).metadata()];
    const part = { left: 0, top: 0, width: Math.min(a.width, b.width), height: Math.min(a.height, b.height) };
    const grey = async (image: Uint8Array) =>
      await sharp(image).removeAlpha().extract(part).greyscale().raw().toBuffer();
    const [own, other] = [await grey(picture), await grey(theirs[index]!)];
    for (let at = 0; at < own.length; at++) sum += Math.abs(own[at]! - other[at]!);
    count += own.length;
  }
  return sum / count / 255;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Installs pdftoppm if it is missing, as root on Debian. Returns whether it is available. */
async function installPoppler(): Promise<boolean> {
  const isReachable = async () =>
    await run("pdftoppm", ["-v"]).then(
      () => true,
      () => false,
    );
  if (await isReachable()) return true;
  if (process.getuid?.() !== 0) return false;
  await run("apt-get", ["install", "-y", "--no-install-recommends", "poppler-utils"]).catch(() => {});
  return await isReachable();
}
