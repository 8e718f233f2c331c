import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import type { Database } from "#storage/database/database.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { freshStore } from "#tests/support/stores.ts";
import { ensureFirstRows, owner } from "../auth/first-rows.ts";
import { systemClock } from "../lib/clock.ts";
import { createLive } from "../live/live.ts";
import { createSlots } from "../lib/concurrency-limit.ts";
import { createFiles } from "./files.ts";

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
});

const never = new AbortController().signal;
const visitor = { ...owner, kind: "admin", workspaceName: "", credentialId: "" } as const;
const bytes = Buffer.from("the bytes of a file");
const told = () => ({
  ids: [newId("file")],
  name: "a.txt",
  sizeBytes: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
});

async function filesOn(db: Database) {
  await ensureFirstRows(db, Date.now());
  const { blobs, remove } = await freshStore("disk");
  undo.push(remove);
  const { carried } = createFiles({
    db,
    blobs,
    live: createLive({ db }),
    folder: undefined,
    clock: systemClock,
    logger: { error() {} } as never,
    secret: "secret",
    slots: createSlots("too-many-uploads", { perVisitor: 1, perAddress: 1 }),
    answering: () => false,
    maxBytes: 1_000,
    quotaBytes: undefined,
    signedReads: false,
    makeThumbnail: async () => await Promise.reject(new Error("not here")),
  });
  return carried;
}

const filesThere = async (db: Database) => await db.read.selectFrom("files").selectAll().execute();

/** What breaks off in the middle, after something else was done. */
async function* broken(first: () => Promise<unknown>): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, 5);
  await first();
  throw new Error("broken off");
}

describeEveryEngine("a file that an import brings", (open) => {
  test("is gone where its bytes break off", async () => {
    const db = await open();
    const carried = await filesOn(db);
    const nothing = async () => {};
    await expect(carried.bring(visitor, told(), () => broken(nothing), never)).rejects.toThrow("broken off");
    expect(await filesThere(db)).toEqual([]);
  });

  test("stays where another import has brought it while this one broke off", async () => {
    const db = await open();
    const carried = await filesOn(db);
    const file = told();
    const other = async () =>
      await carried.bring(
        visitor,
        file,
        async function* () {
          yield bytes;
        },
        never,
      );
    await expect(carried.bring(visitor, file, () => broken(other), never)).rejects.toThrow("broken off");
    const [there] = await filesThere(db);
    expect(there).toMatchObject({ id: file.ids[0], size_bytes: bytes.length });
    const stored = await carried.bring(visitor, file, () => undefined, never);
    expect(stored).toMatchObject({ id: file.ids[0], isNew: false });
    const read = await carried.open(there as never);
    expect((await buffer(read!)).equals(bytes)).toBe(true);
  });

  test("still comes where the import that began it breaks off meanwhile", async () => {
    const db = await open();
    const carried = await filesOn(db);
    const file = told();
    const began = Promise.withResolvers<void>();
    const breakOff = Promise.withResolvers<void>();
    const first = carried.bring(
      visitor,
      file,
      () =>
        broken(async () => {
          began.resolve();
          await breakOff.promise;
        }),
      never,
    );
    await began.promise;
    async function* second() {
      yield bytes.subarray(0, 5);
      breakOff.resolve();
      await expect(first).rejects.toThrow("broken off");
      yield bytes.subarray(5);
    }
    expect(await carried.bring(visitor, file, second, never)).toMatchObject({ id: file.ids[0], isNew: true });
    expect(await filesThere(db)).toMatchObject([{ id: file.ids[0], size_bytes: bytes.length }]);
  });

  test("still comes where another import of it breaks off meanwhile", async () => {
    const db = await open();
    const carried = await filesOn(db);
    const file = told();
    async function* slowly() {
      yield bytes.subarray(0, 5);
      const other = carried.bring(visitor, file, () => broken(async () => {}), never);
      await expect(other).rejects.toThrow("broken off");
      yield bytes.subarray(5);
    }
    expect(await carried.bring(visitor, file, slowly, never)).toMatchObject({ id: file.ids[0], isNew: true });
    expect(await filesThere(db)).toMatchObject([{ id: file.ids[0], size_bytes: bytes.length }]);
  });
});
