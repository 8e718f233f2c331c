import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createLiveDecoder, type EncodedLiveMessage } from "#contract/live-encoding.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import { makeThreads } from "./support/many-threads.ts";
import { call, personWithKey, startParlance, type Person } from "./support/parlance.ts";
import { percentile, type Bench, type Figure } from "./support/report.ts";
import { openStream, readEvents } from "./support/stream.ts";

const threadCount = 10_000;
/** What the sidebar asks for. */
const page = 30;
const reads = 400;
const renames = 200;
const aims = { pageMs: 20, renameMs: 200 };

/** What a person waits for at the sidebar: its first page, and what they did in another tab. */
export const sidebar: Bench = {
  about: "the first page of 10,000 threads, and a rename as another tab sees it",
  async run() {
    const dataDir = mkdtempSync(join(tmpdir(), "parlance-bench-sidebar-"));
    try {
      const workspaceId = await makeThreads(dataDir, "many", threadCount);
      const server = await startParlance({ DATA_DIR: dataDir });
      try {
        const ada = personWithKey(server.url, "many");
        return [await firstPage(ada, dataDir, workspaceId), await renamed(ada)];
      } finally {
        await server.stop();
      }
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};

/** Over HTTP from another process, by turns with the same rows read from the file at once. */
async function firstPage(ada: Person, dataDir: string, workspaceId: string): Promise<Figure> {
  const file = new DatabaseSync(join(dataDir, "parlance.db"), { readOnly: true });
  const bare = file.prepare(
    `select * from threads where workspace_id = ? and archived = 0 and deleted_at is null
     order by last_message_at desc, id desc limit ${page}`,
  );
  const ours: number[] = [];
  const baseline: number[] = [];
  try {
    for (let n = 0; n < reads; n++) {
      let from = performance.now();
      const { threads } = await call<{ threads: Thread[] }>(ada, "GET", `/v1/threads?limit=${page}`);
      ours.push(performance.now() - from);
      from = performance.now();
      const rows = bare.all(workspaceId);
      baseline.push(performance.now() - from);
      if (threads.length !== page || rows.length !== page) throw new Error("this is no full page");
    }
  } finally {
    file.close();
  }
  const p95 = percentile(ours, 95);
  return {
    what: `the first page of ${threadCount.toLocaleString("en")} threads, p95`,
    unit: "ms",
    ours: p95,
    baseline: percentile(baseline, 95),
    against: "a bare read of its rows",
    aim: `≤ ${aims.pageMs} ms`,
    met: p95 <= aims.pageMs,
  };
}

/** One tab renames, another follows the feed; beside it what the renaming tab itself waits for. */
async function renamed(ada: Person): Promise<Figure> {
  const { threads } = await call<{ threads: Thread[] }>(ada, "GET", `/v1/threads?limit=${page}`);
  const waiting = new Map<string, (atMs: number) => void>();
  const stream = await openStream(`${ada.url}/v1/live`, { headers: ada.headers }, true);
  const lineOf = createLiveDecoder();
  void readEvents(stream, (data) => {
    const message = lineOf(JSON.parse(data) as EncodedLiveMessage);
    if (message.type === "change" && message.change.type === "thread-put")
      waiting.get(message.change.thread.title ?? "")?.(performance.now());
  });
  const seen: number[] = [];
  const answered: number[] = [];
  for (let n = 0; n < renames; n++) {
    const title = `Renamed ${n}`;
    const told = new Promise<number>((resolve) => waiting.set(title, resolve));
    const from = performance.now();
    await call(ada, "PUT", `/v1/threads/${threads[n % page]!.id}`, { title });
    answered.push(performance.now() - from);
    seen.push((await told) - from);
    waiting.delete(title);
  }
  stream.destroy();
  const p95 = percentile(seen, 95);
  return {
    what: "a rename as another tab sees it, p95",
    unit: "ms",
    ours: p95,
    baseline: percentile(answered, 95),
    against: "the answer to whoever renames",
    aim: `≤ ${aims.renameMs} ms`,
    met: p95 <= aims.renameMs,
  };
}
