import { parentPort } from "node:worker_threads";
import type { Said, Task, Told } from "../told.ts";
import { FaultError, openDocument, type OpenPage } from "./document.ts";
import { memoryWasRefused } from "./memory.ts";
import { newPdfium } from "./pdfium.ts";

/** The thread in which PDFium works: a document at a time, each by a PDFium of its own. */

/** What it says: a page as pixels, and all else as it is told. */
export type Drawn = ({ kind: "drawn"; number: number } & OpenPage) | Told;

/** Pages that are drawn and not made into pictures yet. */
const aheadMax = 3;
const usualPage = { width: 595, height: 842 };

let next = newPdfium();
let ahead = 0;
let room = () => {};
parentPort?.on("message", (said: Said) => {
  if (said.kind === "task") return void carryOut(said.task);
  ahead--;
  room();
});
await next;
say({ kind: "ready" });

async function carryOut(task: Task): Promise<void> {
  try {
    await read(task);
    say({ kind: "done", memoryBytes: 0 });
    next = newPdfium();
  } catch (error) {
    const spent = !(error instanceof FaultError);
    const code = memoryWasRefused() ? "pdf-too-complex" : spent ? "pdf-unreadable" : error.code;
    say({ kind: "failed", code, spent, ...(spent ? { cause: String(error).slice(0, 500) } : {}) });
    if (!spent) next = newPdfium();
  }
}

async function read(task: Task): Promise<void> {
  const document = openDocument(await next, task.bytes);
  if (document.pages > task.pagesMax) throw new FaultError("pdf-too-many-pages");
  say({ kind: "opened", pages: document.pages });
  let characters = task.allCharactersMax;
  /** Pages that cannot be read, until one can: where none can, nothing is shown of the document. */
  let unread: number[] = [];
  let readable = false;
  for (let index = 0; index < document.pages; index++) {
    const page = document.read(index, Math.min(task.textCharactersMax, characters), task.picture);
    characters -= page?.text.length ?? 0;
    if (page === undefined && !readable) {
      unread.push(index);
      continue;
    }
    readable = true;
    for (const before of unread) await show(before, blank(task));
    unread = [];
    await show(index, page ?? blank(task));
  }
  if (!readable) throw new FaultError("pdf-unreadable");
}

async function show(index: number, page: OpenPage): Promise<void> {
  while (ahead >= aheadMax) await new Promise<void>((resolve) => (room = resolve));
  ahead++;
  const pixels = page.pixels?.data.buffer;
  parentPort?.postMessage(
    { kind: "drawn", number: index + 1, ...page } satisfies Drawn,
    pixels === undefined ? [] : [pixels as ArrayBuffer],
  );
}

/** What stands for a page that cannot be read, so that those after it keep their numbers. */
function blank({ picture }: Task): OpenPage {
  const size = usualPage;
  if (picture === undefined) return { text: "", ...size };
  const data = new Uint8Array(size.width * size.height * 4).fill(255);
  return { text: "", ...size, pixels: { data, ...size } };
}

function say(drawn: Drawn): void {
  parentPort?.postMessage(drawn);
}
