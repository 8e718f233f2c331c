import { expect, test, vi } from "vitest";
import { BlobsUnreachableError } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { seedFiles } from "#tests/support/data/file-rows.ts";
import { createManualClock } from "#tests/support/manual-clock.ts";
import type { Contents, StoredFile } from "../files/contents.ts";
import { createJobs } from "../jobs/jobs.ts";
import { createExtractionQueue } from "./extraction-queue.ts";
import { ExtractionError } from "./extraction-error.ts";

function contentsOf(db: Database): Contents {
  return {
    async find(_, ids) {
      const found = await db.read.selectFrom("files").selectAll().where("id", "in", ids).execute();
      return new Map(found.map((file) => [file.id, { ...file, sha256: file.id } as StoredFile]));
    },
    bytes: () => Promise.resolve(Buffer.from("A heron.")),
  };
}

function setUp(db: Database, extract: (name: string) => Promise<{ text: string; isCut: boolean }>) {
  const clock = createManualClock();
  const logger = { warn: vi.fn(), error: vi.fn() };
  const extracted: string[] = [];
  const queue = createExtractionQueue({
    db,
    clock,
    logger,
    contents: contentsOf(db),
    texts: {
      async extract({ name }) {
        extracted.push(name);
        return await extract(name);
      },
    },
    onScanned: () => Promise.resolve(),
  });
  const start = () => {
    const jobs = createJobs({ db, clock, logger });
    jobs.every("extracting", 5, queue.extractDue);
    return { stop: jobs.close };
  };
  const queued = async () => await db.read.selectFrom("unread_files").selectAll().execute();
  return { clock, logger, extracted, start, queued };
}

const waitOptions = { timeout: 5_000, interval: 5 };

describeEveryEngine("the extraction queue", (open) => {
  test("extracts each file once, with several processes", async () => {
    const db = await open();
    const names = Array.from({ length: 12 }, (_, index) => `note ${index}.txt`);
    await seedFiles(db, names);
    const { extracted, start, queued } = setUp(db, () => Promise.resolve({ text: "A heron.", isCut: false }));
    const queues = [start(), start(), start()];
    await vi.waitFor(async () => expect(await queued()).toEqual([]), waitOptions);
    await Promise.all(queues.map(async (queue) => await queue.stop()));
    expect(extracted.toSorted()).toEqual(names.toSorted());
  });

  test("skips files without text, and does not retry permanent failures", async () => {
    const db = await open();
    await seedFiles(db, ["picture.png"], { type: "image/png" });
    await seedFiles(db, ["locked.pdf"], { type: "application/pdf" });
    const { clock, extracted, start, queued } = setUp(db, () =>
      Promise.reject(new ExtractionError("locked")),
    );
    const queue = start();
    await vi.waitFor(async () => expect(await queued()).toEqual([]), waitOptions);
    clock.advance(48 * 3_600_000);
    await queue.stop();
    expect(extracted).toEqual(["locked.pdf"]);
  });

  test("retries temporary failures with growing delays, and then gives up", async () => {
    const db = await open();
    await seedFiles(db, ["note.txt"]);
    let calls = 0;
    const { clock, extracted, start, queued } = setUp(db, () =>
      Promise.reject(
        calls++ % 2 === 0 ? new BlobsUnreachableError("The bucket.") : new ExtractionError("away"),
      ),
    );
    const queue = start();
    for (const [index, delayMs] of [5_000, 30_000, 5 * 60_000, 3_600_000, 24 * 3_600_000].entries()) {
      await vi.waitFor(async () => {
        const [file] = await queued();
        expect(file).toMatchObject({ tries: index + 1 });
        // A lease counts the try too, but ends at another time than the delay.
        const remainingMs = file!.due_at - clock.now();
        expect(remainingMs).toBeLessThanOrEqual(delayMs);
        expect(remainingMs).toBeGreaterThan(delayMs - 10_000);
        expect(extracted).toHaveLength(index + 1);
      }, waitOptions);
      clock.advance(delayMs);
    }
    await vi.waitFor(async () => expect(await queued()).toEqual([]), waitOptions);
    expect(extracted).toHaveLength(6);
    await queue.stop();
  });

  test("returns its current file when it stops, and takes over expired leases", async () => {
    const db = await open();
    await seedFiles(db, ["note.txt"]);
    const stuck = Promise.withResolvers<never>();
    const { clock, start, queued, extracted } = setUp(db, async () => await stuck.promise);
    const queue = start();
    await vi.waitFor(() => expect(extracted).toHaveLength(1), waitOptions);
    expect((await queued())[0]!.due_at).toBeGreaterThan(clock.now());
    const stopping = queue.stop();
    stuck.reject(new Error("the server is shutting down"));
    await stopping;
    expect(await queued()).toMatchObject([{ due_at: 0, tries: 0 }]);
    await db.write(async (tx) => {
      await tx.q
        .updateTable("unread_files")
        .set({ due_at: clock.now() + 60_000 })
        .execute();
    });
    const again = setUp(db, () => Promise.resolve({ text: "", isCut: false }));
    const other = again.start();
    again.clock.advance(61_000);
    await vi.waitFor(async () => expect(await queued()).toEqual([]), waitOptions);
    await other.stop();
  });

  test("queues a file again when its bytes arrive, and removes a deleted file", async () => {
    const db = await open();
    const [id] = await seedFiles(db, ["late.txt"], { blob_key: null as never });
    const { start, queued } = setUp(db, () => Promise.reject(new ExtractionError("away")));
    await db.write(async (tx) => {
      await tx.q.updateTable("unread_files").set({ due_at: 9, tries: 3 }).execute();
      await tx.q
        .updateTable("files")
        .set({ blob_key: `blob/${id}` })
        .execute();
    });
    expect(await queued()).toMatchObject([{ due_at: 0, tries: 0 }]);
    await db.write(async (tx) => void (await tx.q.deleteFrom("files").execute()));
    expect(await queued()).toEqual([]);
    await start().stop();
  });
});
