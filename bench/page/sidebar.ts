import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createLiveDecoder, type EncodedLiveMessage } from "#contract/live-encoding.ts";
import type { Thread } from "#contract/endpoints/threads.ts";
import { withFolder } from "../support/services.ts";
import { makeThreads } from "../support/many-threads.ts";
import { call, userWithKey, startParlance, type User } from "../support/parlance.ts";
import { percentile, type Bench, type Figure } from "../support/report.ts";
import { openStream, readEvents } from "../support/stream.ts";

const threadCount = 10_000;
/** The page size of the sidebar. */
const pageSize = 30;
const reads = 400;
const renames = 200;
const limits = { pageMs: 20, renameMs: 200 };

/** The sidebar: the time to its first page, and until a rename in another tab arrives. */
export const sidebar: Bench = {
  about: "the first page of 10,000 threads, and a rename as another tab sees it",
  async run() {
    return await withFolder(async (dataDir) => {
      const workspaceId = await makeThreads(dataDir, "many", threadCount);
      const server = await startParlance({ DATA_DIR: dataDir });
      try {
        const ada = userWithKey(server.url, "many");
        return [await measureFirstPage(ada, dataDir, workspaceId), await measureRenames(ada)];
      } finally {
        await server.stop();
      }
    });
  },
};

/** Reads the page over HTTP, alternately with the same rows from the database file. */
async function measureFirstPage(ada: User, dataDir: string, workspaceId: string): Promise<Figure> {
  const file = new DatabaseSync(join(dataDir, "parlance.db"), { readOnly: true });
  const bare = file.prepare(
    `select * from threads where workspace_id = ? and archived = 0 and deleted_at is null
     order by last_message_at desc, id desc limit ${pageSize}`,
  );
  const ours: number[] = [];
  const baseline: number[] = [];
  try {
    for (let n = 0; n < reads; n++) {
      let from = performance.now();
      const { threads } = await call<{ threads: Thread[] }>(ada, "GET", `/v1/threads?limit=${pageSize}`);
      ours.push(performance.now() - from);
      from = performance.now();
      const rows = bare.all(workspaceId);
      baseline.push(performance.now() - from);
      if (threads.length !== pageSize || rows.length !== pageSize) throw new Error("this is not a full page");
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
    aim: `≤ ${limits.pageMs} ms`,
    met: p95 <= limits.pageMs,
  };
}

/** One tab renames and another follows the feed, compared with the response time in the first tab. */
async function measureRenames(ada: User): Promise<Figure> {
  const { threads } = await call<{ threads: Thread[] }>(ada, "GET", `/v1/threads?limit=${pageSize}`);
  const pending = new Map<string, (atMs: number) => void>();
  const stream = await openStream(`${ada.url}/v1/live`, { headers: ada.headers }, true);
  const decode = createLiveDecoder();
  void readEvents(stream, (data) => {
    const message = decode(JSON.parse(data) as EncodedLiveMessage);
    if (message.type === "change" && message.change.type === "thread-put")
      pending.get(message.change.thread.title ?? "")?.(performance.now());
  });
  const seen: number[] = [];
  const answered: number[] = [];
  for (let n = 0; n < renames; n++) {
    const title = `Renamed ${n}`;
    const received = new Promise<number>((resolve) => pending.set(title, resolve));
    const from = performance.now();
    await call(ada, "PUT", `/v1/threads/${threads[n % pageSize]!.id}`, { title });
    answered.push(performance.now() - from);
    seen.push((await received) - from);
    pending.delete(title);
  }
  stream.destroy();
  const p95 = percentile(seen, 95);
  return {
    what: "a rename as another tab sees it, p95",
    unit: "ms",
    ours: p95,
    baseline: percentile(answered, 95),
    against: "the response to the rename",
    aim: `≤ ${limits.renameMs} ms`,
    met: p95 <= limits.renameMs,
  };
}
