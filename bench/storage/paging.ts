import { seedLongThread } from "#tests/support/data/seed.ts";
import { withFolder } from "../support/services.ts";
import { makeThreads } from "../support/many-threads.ts";
import { call, userWithKey, startParlance, type User } from "../support/parlance.ts";
import { median, type Bench, type Figure } from "../support/report.ts";

const threadCount = 10_000;
const messageCount = 20_000;
const reads = 40;

/** The time to read the last page of a long list, compared with the first. */
export const paging: Bench = {
  about: "the last page of 10,000 threads and of 20,000 messages, beside the first page of the same list",
  async run() {
    return await withFolder(async (dataDir) => {
      const { threadId } = await seedLongThread({ dataDir } as never, "long", messageCount);
      await makeThreads(dataDir, "many", threadCount);
      const server = await startParlance({ DATA_DIR: dataDir });
      try {
        return [
          await pages(
            userWithKey(server.url, "many"),
            "threads, 20 a page",
            "/v1/threads?limit=20",
            "threads",
          ),
          await pages(
            userWithKey(server.url, "long"),
            "messages, 200 a page",
            `/v1/threads/${threadId}/messages?limit=200`,
            "messages",
          ),
        ];
      } finally {
        await server.stop();
      }
    });
  },
};

/** Reads the whole list, then its first and its last full page alternately. */
async function pages(person: User, what: string, path: string, key: "threads" | "messages"): Promise<Figure> {
  const read = async (after: string | undefined): Promise<{ id: string }[]> =>
    (
      await call<Record<typeof key, { id: string }[]>>(
        person,
        "GET",
        after === undefined ? path : `${path}&after=${after}`,
      )
    )[key];
  let lastAfter: string | undefined;
  let pageSize = 0;
  for (
    let page = await read(undefined), after: string | undefined;
    page.length > 0;
    page = await read(after)
  ) {
    if (pageSize === 0) pageSize = page.length;
    if (page.length === pageSize) lastAfter = after;
    after = page.at(-1)!.id;
  }
  const first: number[] = [];
  const last: number[] = [];
  for (let n = 0; n < reads; n++) {
    let from = performance.now();
    await read(undefined);
    first.push(performance.now() - from);
    from = performance.now();
    await read(lastAfter);
    last.push(performance.now() - from);
  }
  const [ours, baseline] = [median(last), median(first)];
  return {
    what: `the last page of ${what}, median`,
    unit: "ms",
    ours,
    baseline,
    against: "the first page",
    aim: "≤ 1.5 × the first",
    met: ours <= 1.5 * baseline,
  };
}
