// A worker thread of hostile readers of one shared link, so that the measuring thread has no other work.
import { parentPort, workerData } from "node:worker_threads";

export type ShareReaders = { url: string; paths: string[]; count: number };

/** Pages that were answered, by status. */
export type ReadPages = Record<number, number>;

const { url, paths, count } = workerData as ShareReaders;
const pages: ReadPages = {};

parentPort!.on("message", () => parentPort!.postMessage(pages));
for (let n = 0; n < count; n++) void read(n);

/** Follows "earlier" to the top of the thread again and again, each time in another language, and never waits. */
async function read(n: number): Promise<void> {
  const own = paths[n % paths.length]!;
  let path = own;
  for (let round = n; ;) {
    const headers = {
      "X-Forwarded-For": `198.18.${n}.1`,
      "Accept-Language": round % 2 === 0 ? "en" : "ar",
    };
    const response = await fetch(url + path, { headers }).catch(() => undefined);
    const html = (await response?.text().catch(() => undefined)) ?? "";
    if (response !== undefined) pages[response.status] = (pages[response.status] ?? 0) + 1;
    const earlier = /href="(\/s\/[\w-]+\?before=\w+)"/.exec(html)?.[1];
    path = earlier ?? own;
    if (earlier === undefined) round++;
  }
}
