import { Worker } from "node:worker_threads";
import type { Fault, Said, Task, Told } from "../told.ts";
import type { Drawn } from "./draw.ts";
import { encode } from "./encode.ts";

/**
 * The process that reads PDFs for the server, one after another. PDFium works in a thread of its own; this one makes
 * pictures of what is drawn, tells of it, and looks after the process, so that a page is told while the next is drawn.
 * The server ends it whenever it takes too long.
 */

/** Pages that were told and not taken in yet: more would pile up on the other side. */
const aheadMax = 4;
const watchMs = 50;
const memoryBytesMax = Number(process.argv[2]);

const drawer = new Worker(new URL("./draw.ts", import.meta.url), { execArgv: [], stdin: false });
let ahead = 0;
let room = () => {};
let task: Task | undefined;
let pictureBytes = 0;
/** One thing is told after another, in the order in which it was drawn. */
let telling: Promise<unknown> = Promise.resolve();

setInterval(() => {
  if (process.memoryUsage.rss() > memoryBytesMax) process.kill(process.pid, "SIGKILL");
}, watchMs);
process.on("disconnect", () => process.exit());
process.on("message", (said: Said) => {
  if (said.kind === "taken") {
    ahead--;
    room();
    return;
  }
  task = said.task;
  pictureBytes = 0;
  drawer.postMessage(said);
});
drawer.on("message", (drawn: Drawn) => {
  const ready = drawn.kind === "drawn" ? pageOf(drawn) : Promise.resolve(drawn);
  // Heard here too, so that a failure is not unheard until its turn.
  ready.catch(() => {});
  telling = telling.then(async () => await tellOf(ready)).catch(fail);
});
drawer.on("error", fail);

// So that the first page of all is as fast as the others.
await encode({ data: new Uint8Array(4), width: 1, height: 1 }, "png");

async function pageOf(drawn: Extract<Drawn, { kind: "drawn" }>): Promise<Told> {
  const { number, text, width, height, pixels } = drawn;
  if (pixels === undefined || task?.picture === undefined)
    return { kind: "page", page: { number, text, width, height } };
  const picture = await encode(pixels, task.picture.format);
  return { kind: "page", page: { number, text, width, height, picture } };
}

async function tellOf(ready: Promise<Told>): Promise<void> {
  const told = await ready;
  if (told.kind === "page") {
    pictureBytes += told.page.picture?.length ?? 0;
    if (task !== undefined && pictureBytes > task.pictureBytesMax)
      return await tellFailure("pdf-too-complex", "its pictures are too large together");
    while (ahead >= aheadMax) await new Promise<void>((resolve) => (room = resolve));
    ahead++;
    drawer.postMessage({ kind: "taken" } satisfies Said);
  }
  await tell(told.kind === "done" ? { kind: "done", memoryBytes: process.memoryUsage.rss() } : told);
}

function fail(error: unknown): void {
  const isMemory = (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY";
  void tellFailure(isMemory ? "pdf-too-complex" : "pdf-unreadable", String(error).slice(0, 500));
}

async function tellFailure(code: Fault, cause: string): Promise<void> {
  await tell({ kind: "failed", code, spent: true, cause });
}

async function tell(told: Told): Promise<void> {
  await new Promise<void>((resolve) => process.send?.(told, () => resolve()));
}
