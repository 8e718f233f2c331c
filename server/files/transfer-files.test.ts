import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { newId } from "#contract/ids.ts";
import type { Database } from "#storage/database/database.ts";
import { describeEveryEngine } from "#storage/testing/engines.ts";
import { freshStore } from "#tests/support/servers/stores.ts";
import { ensureFirstApp, owner } from "../apps/first-app.ts";
import { createQuota } from "../quota/quota.ts";
import { systemClock } from "../lib/clock.ts";
import { createLive } from "../live/live.ts";
import { createConcurrencyLimiter } from "../lib/concurrency-limit.ts";
import { createFiles } from "./files.ts";

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (let last = undo.pop(); last !== undefined; last = undo.pop()) await last();
});

const never = new AbortController().signal;
const visitor = { ...owner, kind: "admin", role: "owner", workspaceName: "", credentialId: "" } as const;
const bytes = Buffer.from("the bytes of a file");
const describeFile = () => ({
  ids: [newId("file")],
  name: "a.txt",
  sizeBytes: bytes.length,
  sha256: createHash("sha256").update(bytes).digest("hex"),
});

async function filesOn(db: Database) {
  await ensureFirstApp(db, Date.now());
  const { blobs, remove } = await freshStore("disk");
  undo.push(remove);
  const { transfer } = createFiles({
    db,
    blobs,
    live: createLive({ db }),
    folder: undefined,
    clock: systemClock,
    logger: { error() {} } as never,
    secret: "secret",
    limiter: createConcurrencyLimiter("too-many-uploads", { perVisitor: 1, perAddress: 1 }),
    isStreaming: () => false,
    maxBytes: 1_000,
    quota: createQuota({ db, totalBytes: undefined }),
    signedReads: false,
    makeThumbnail: async () => await Promise.reject(new Error("not here")),
  });
  return transfer;
}

const storedFiles = async (db: Database) => await db.read.selectFrom("files").selectAll().execute();

/** Bytes whose source fails in the middle, after `first`. */
async function* interrupted(first: () => Promise<unknown>): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, 5);
  await first();
  throw new Error("interrupted");
}

describeEveryEngine("an imported file", (open) => {
  test("is deleted when its bytes are interrupted", async () => {
    const db = await open();
    const transfer = await filesOn(db);
    const nothing = async () => {};
    await expect(transfer.import(visitor, describeFile(), () => interrupted(nothing), never)).rejects.toThrow(
      "interrupted",
    );
    expect(await storedFiles(db)).toEqual([]);
  });

  test("stays when another import stored it before this one was interrupted", async () => {
    const db = await open();
    const transfer = await filesOn(db);
    const file = describeFile();
    const other = async () =>
      await transfer.import(
        visitor,
        file,
        async function* () {
          yield bytes;
        },
        never,
      );
    await expect(transfer.import(visitor, file, () => interrupted(other), never)).rejects.toThrow(
      "interrupted",
    );
    const [stored] = await storedFiles(db);
    expect(stored).toMatchObject({ id: file.ids[0], size_bytes: bytes.length });
    const again = await transfer.import(visitor, file, () => undefined, never);
    expect(again).toMatchObject({ id: file.ids[0], isNew: false });
    const read = await transfer.open(stored as never);
    expect((await buffer(read!)).equals(bytes)).toBe(true);
  });

  test("is stored although the import that created it is interrupted", async () => {
    const db = await open();
    const transfer = await filesOn(db);
    const file = describeFile();
    const started = Promise.withResolvers<void>();
    const interrupt = Promise.withResolvers<void>();
    const first = transfer.import(
      visitor,
      file,
      () =>
        interrupted(async () => {
          started.resolve();
          await interrupt.promise;
        }),
      never,
    );
    await started.promise;
    async function* second() {
      yield bytes.subarray(0, 5);
      interrupt.resolve();
      await expect(first).rejects.toThrow("interrupted");
      yield bytes.subarray(5);
    }
    expect(await transfer.import(visitor, file, second, never)).toMatchObject({
      id: file.ids[0],
      isNew: true,
    });
    expect(await storedFiles(db)).toMatchObject([{ id: file.ids[0], size_bytes: bytes.length }]);
  });

  test("is stored although another import of it is interrupted", async () => {
    const db = await open();
    const transfer = await filesOn(db);
    const file = describeFile();
    async function* slowly() {
      yield bytes.subarray(0, 5);
      const other = transfer.import(visitor, file, () => interrupted(async () => {}), never);
      await expect(other).rejects.toThrow("interrupted");
      yield bytes.subarray(5);
    }
    expect(await transfer.import(visitor, file, slowly, never)).toMatchObject({
      id: file.ids[0],
      isNew: true,
    });
    expect(await storedFiles(db)).toMatchObject([{ id: file.ids[0], size_bytes: bytes.length }]);
  });
});
