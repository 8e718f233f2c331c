import { Worker } from "node:worker_threads";
import type { ReadPage, Task, Told } from "../told.ts";
import { FaultError, openDocument, type OpenPage } from "./document.ts";
import { encode } from "./encode.ts";
import { memoryWasRefused } from "./memory.ts";
import { newPdfium } from "./pdfium.ts";

/**
 * The process that reads PDFs for the server: one document after another, each by a PDFium of its own. It may read its
 * own code and nothing else, and is ended by the server whenever it takes too long.
 */

/** Pictures that are made while the next page is drawn. */
const underWayMax = 2;
const usualPage = { width: 595, height: 842 };

const memoryBytesMax = Number(process.argv[2]);
new Worker(new URL("./watch.ts", import.meta.url), {
  workerData: { memoryBytesMax, parentId: process.ppid },
  execArgv: [],
}).unref();

let next = newPdfium();
process.on("message", (task: Task) => void carryOut(task));
process.on("disconnect", () => process.exit());
await next;
// So that the first page of all is as fast as the others.
await encode({ data: new Uint8Array(4), width: 1, height: 1 }, "png");
await tell({ kind: "ready" });

async function carryOut(task: Task): Promise<void> {
  try {
    await read(task);
    next = newPdfium();
    await tell({ kind: "done", memoryBytes: process.memoryUsage.rss() });
  } catch (error) {
    const spent = !(error instanceof FaultError);
    const code = memoryWasRefused() ? "pdf-too-complex" : spent ? "pdf-unreadable" : error.code;
    if (!spent) next = newPdfium();
    await tell({ kind: "failed", code, spent, ...(spent ? { cause: String(error).slice(0, 500) } : {}) });
  }
}

async function read(task: Task): Promise<void> {
  const document = openDocument(await next, task.bytes);
  if (document.pages > task.pagesMax) throw new FaultError("pdf-too-many-pages");
  await tell({ kind: "opened", pages: document.pages });
  const underWay: Promise<number>[] = [];
  let pictureBytes = 0;
  /** Pages that cannot be read, until one can: where none can, nothing is shown of the document. */
  let unread: number[] = [];
  let readable = false;
  const settle = async () => {
    pictureBytes += (await underWay.shift()) ?? 0;
    if (pictureBytes > task.pictureBytesMax) throw new FaultError("pdf-too-complex");
  };
  let told: Promise<unknown> = Promise.resolve();
  for (let index = 0; index < document.pages; index++) {
    const page = document.read(index, task.textCharactersMax, task.picture);
    if (page === undefined && !readable) {
      unread.push(index);
      continue;
    }
    readable = true;
    for (const before of unread) await begin(before, blank(task));
    unread = [];
    await begin(index, page ?? blank(task));
  }
  while (underWay.length > 0) await settle();
  if (!readable) throw new FaultError("pdf-unreadable");

  /** Begins a page's picture, and waits while there are enough under way. */
  async function begin(index: number, page: OpenPage): Promise<void> {
    const before = told;
    const mine = finished(index + 1, page, task).then(async (ready) => {
      await before;
      await tell({ kind: "page", page: ready });
      return ready.picture?.length ?? 0;
    });
    // Heard here too, so that a failure is not unheard until its turn.
    told = mine.catch(() => {});
    underWay.push(mine);
    if (underWay.length > underWayMax) await settle();
  }
}

async function finished(number: number, page: OpenPage, { picture }: Task): Promise<ReadPage> {
  const { text, width, height, pixels } = page;
  if (picture === undefined || pixels === undefined) return { number, text, width, height };
  return { number, text, width, height, picture: await encode(pixels, picture.format) };
}

/** What stands for a page that cannot be read, so that those after it keep their numbers. */
function blank({ picture }: Task): OpenPage {
  const size = usualPage;
  if (picture === undefined) return { text: "", ...size };
  const data = new Uint8Array(size.width * size.height * 4).fill(255);
  return { text: "", ...size, pixels: { data, ...size } };
}

async function tell(told: Told): Promise<void> {
  await new Promise<void>((resolve) => process.send?.(told, () => resolve()));
}
