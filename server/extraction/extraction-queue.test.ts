import { expect, test, vi } from "vitest";
import { BlobsAwayError } from "#storage/blobs/blobs.ts";
import type { Database } from "#storage/database/database.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { seedFiles } from "#tests/support/file-rows.ts";
import { handClock } from "#tests/support/hand-clock.ts";
import type { Contents, StoredFile } from "../files/contents.ts";
import { startReadingAhead } from "./extraction-queue.ts";
import { FaultError } from "./office/fault.ts";

function contentsOf(db: Database): Contents {
  return {
    async find(_, ids) {
      const found = await db.read.selectFrom("files").selectAll().where("id", "in", ids).execute();
      return new Map(found.map((file) => [file.id, { ...file, sha256: file.id } as StoredFile]));
    },
    bytes: () => Promise.resolve(Buffer.from("A heron.")),
  };
}

function starter(db: Database, of: (name: string) => Promise<{ text: string; isCut: boolean }>) {
  const clock = handClock();
  const logger = { warn: vi.fn(), error: vi.fn() };
  const read: string[] = [];
  const start = () =>
    startReadingAhead({
      db,
      clock,
      logger,
      contents: contentsOf(db),
      texts: {
        async of({ name }) {
          read.push(name);
          return await of(name);
        },
      },
    });
  const unread = async () => await db.read.selectFrom("unread_files").selectAll().execute();
  return { clock, logger, read, start, unread };
}

const none = { timeout: 5_000, interval: 5 };

describeEveryEngine("reading ahead", (open) => {
  test("reads each file that a message speaks of once, however many do it", async () => {
    const db = await open();
    const names = Array.from({ length: 12 }, (_, index) => `note ${index}.txt`);
    await seedFiles(db, names);
    const { read, start, unread } = starter(db, () => Promise.resolve({ text: "A heron.", isCut: false }));
    const readers = [start(), start(), start()];
    await vi.waitFor(async () => expect(await unread()).toEqual([]), none);
    await Promise.all(readers.map(async (reader) => await reader.stop()));
    expect(read.toSorted()).toEqual(names.toSorted());
  });

  test("leaves alone what has no words, and what is wrong with the bytes", async () => {
    const db = await open();
    await seedFiles(db, ["picture.png"], { type: "image/png" });
    await seedFiles(db, ["locked.pdf"], { type: "application/pdf" });
    const { clock, read, start, unread } = starter(db, () => Promise.reject(new FaultError("locked")));
    const reader = start();
    await vi.waitFor(async () => expect(await unread()).toEqual([]), none);
    clock.advance(48 * 3_600_000);
    await reader.stop();
    expect(read).toEqual(["locked.pdf"]);
  });

  test("tries again what could not be had, less and less often, and then no more", async () => {
    const db = await open();
    await seedFiles(db, ["note.txt"]);
    let away = 0;
    const { clock, read, start, unread } = starter(db, () =>
      Promise.reject(away++ % 2 === 0 ? new BlobsAwayError("The bucket.") : new FaultError("away")),
    );
    const reader = start();
    for (let tries = 1; tries <= 5; tries++) {
      await vi.waitFor(async () => {
        expect(await unread()).toMatchObject([{ tries }]);
        expect((await unread())[0]!.due_at).toBeLessThan(clock.now() + 25 * 3_600_000);
        expect(read).toHaveLength(tries);
      }, none);
      await vi.waitFor(async () => expect((await unread())[0]!.due_at).toBeGreaterThan(clock.now()), none);
      clock.advance(25 * 3_600_000);
    }
    await vi.waitFor(async () => expect(await unread()).toEqual([]), none);
    expect(read).toHaveLength(6);
    await reader.stop();
  });

  test("leaves to others what it is in the middle of when it ends, and takes back what died with another", async () => {
    const db = await open();
    await seedFiles(db, ["note.txt"]);
    const stuck = Promise.withResolvers<never>();
    const { clock, start, unread, read } = starter(db, async () => await stuck.promise);
    const reader = start();
    await vi.waitFor(() => expect(read).toHaveLength(1), none);
    expect((await unread())[0]!.due_at).toBeGreaterThan(clock.now());
    const stopping = reader.stop();
    stuck.reject(new Error("the server is going down"));
    await stopping;
    expect(await unread()).toMatchObject([{ due_at: 0, tries: 0 }]);
    await db.write(async (tx) => {
      await tx.q
        .updateTable("unread_files")
        .set({ due_at: clock.now() + 60_000 })
        .execute();
    });
    const again = starter(db, () => Promise.resolve({ text: "", isCut: false }));
    const other = again.start();
    again.clock.advance(61_000);
    await vi.waitFor(async () => expect(await unread()).toEqual([]), none);
    await other.stop();
  });

  test("is told of a file that comes after its message, and forgets one that is deleted", async () => {
    const db = await open();
    const [id] = await seedFiles(db, ["late.txt"], { blob_key: null as never });
    const { start, unread } = starter(db, () => Promise.reject(new FaultError("away")));
    await db.write(async (tx) => {
      await tx.q.updateTable("unread_files").set({ due_at: 9, tries: 3 }).execute();
      await tx.q
        .updateTable("files")
        .set({ blob_key: `blob/${id}` })
        .execute();
    });
    expect(await unread()).toMatchObject([{ due_at: 0, tries: 0 }]);
    await db.write(async (tx) => void (await tx.q.deleteFrom("files").execute()));
    expect(await unread()).toEqual([]);
    await start().stop();
  });
});
