import { parentPort } from "node:worker_threads";
import type { ToChild } from "../../child-process/process-messages.ts";
import type { PdfErrorCode, PdfTask } from "../pdf-process-messages.ts";
import { PdfError, openDocument, type OpenPage } from "./document.ts";
import { wasMemoryRefused } from "./memory.ts";
import { newPdfium } from "./pdfium.ts";

/** The worker thread that runs PDFium: one document at a time, each in a new PDFium instance. */

export type RenderedPage = { number: number } & OpenPage;

/** `failed` has a `cause` if PDFium itself broke. */
export type FromRenderer =
  | { kind: "ready" }
  | { kind: "opened"; pages: number }
  | { kind: "rendered"; page: RenderedPage }
  | { kind: "done" }
  | { kind: "failed"; code: PdfErrorCode; cause?: string };

/** Pages that are rendered and not encoded yet, beside the one that is rendered. One can take 64 MB. */
const pendingMax = 1;
/** A4, in points. */
const usualPage = { width: 595, height: 842 };

let nextPdfium = newPdfium();
let pending = 0;
let resume = () => {};
parentPort?.on("message", (received: ToChild<PdfTask>) => {
  if (received.kind === "task") return void run(received.task);
  pending--;
  resume();
});
await nextPdfium;
send({ kind: "ready" });

async function run(task: PdfTask): Promise<void> {
  try {
    await readPages(task);
    send({ kind: "done" });
  } catch (error) {
    const isBroken = !(error instanceof PdfError);
    const code = wasMemoryRefused() ? "pdf-too-complex" : isBroken ? "pdf-unreadable" : error.code;
    send({ kind: "failed", code, ...(isBroken ? { cause: String(error).slice(0, 500) } : {}) });
    if (isBroken) return;
  }
  nextPdfium = newPdfium();
}

async function readPages(task: PdfTask): Promise<void> {
  const document = openDocument(await nextPdfium, task.bytes);
  if (document.pages > task.pagesMax) throw new PdfError("pdf-too-many-pages");
  send({ kind: "opened", pages: document.pages });
  let characters = task.allCharactersMax;
  /** Unreadable pages before the first readable one. If no page is readable, the document is refused. */
  let unreadable: number[] = [];
  let isReadable = false;
  for (let index = 0; index < document.pages; index++) {
    const page = document.read(index, Math.min(task.textCharactersMax, characters), task.picture);
    characters -= page?.text.length ?? 0;
    if (page === undefined && !isReadable) {
      unreadable.push(index);
      continue;
    }
    isReadable = true;
    for (const before of unreadable) await sendPage(before, blankPage(task));
    unreadable = [];
    await sendPage(index, page ?? blankPage(task));
  }
  if (!isReadable) throw new PdfError("pdf-unreadable");
}

async function sendPage(index: number, page: OpenPage): Promise<void> {
  while (pending >= pendingMax) await new Promise<void>((resolve) => (resume = resolve));
  pending++;
  const pixels = page.pixels?.data.buffer;
  send(
    { kind: "rendered", page: { number: index + 1, ...page } },
    pixels === undefined ? [] : [pixels as ArrayBuffer],
  );
}

/** Replaces an unreadable page, so that the pages after it keep their numbers. */
function blankPage({ picture }: PdfTask): OpenPage {
  const size = usualPage;
  if (picture === undefined) return { text: "", ...size };
  const data = new Uint8Array(size.width * size.height * 4).fill(255);
  return { text: "", ...size, pixels: { data, ...size } };
}

function send(message: FromRenderer, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}
