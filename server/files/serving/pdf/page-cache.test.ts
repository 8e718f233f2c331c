import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { beforeEach, expect, test } from "vitest";
import { BlobMissingError, type Blobs } from "#storage/blobs/blobs.ts";
import { createPageCache } from "./page-cache.ts";

const hourMs = 3_600_000;
const never = new AbortController().signal;

let nowMs = 0;
let stored: Map<string, { bytes: Buffer; changedAtMs: number }>;
beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 1);
  stored = new Map();
});

/** A blob store with the test's clock. */
const blobs: Blobs = {
  kind: "disk",
  async put(key, bytes) {
    const all = await buffer(bytes);
    stored.set(key, { bytes: all, changedAtMs: nowMs });
    return all.length;
  },
  size: async (key) => stored.get(key)?.bytes.length,
  async read(key) {
    const found = stored.get(key);
    if (found === undefined) throw new BlobMissingError(key);
    return Readable.from([found.bytes]);
  },
  remove: async (key) => void stored.delete(key),
  async *list(prefix) {
    for (const [key, { bytes, changedAtMs }] of stored)
      if (key.startsWith(prefix)) yield { key, sizeBytes: bytes.length, changedAtMs };
  },
  removeUnfinished: async () => {},
  problem: () => undefined,
  close() {},
};

const cacheOf = (bytesMax = 1_000_000) =>
  createPageCache({
    blobs,
    clock: { now: () => nowMs, sleep: async () => {} },
    bytesMax,
    isRemovalScheduled: async () => false,
    linkMs: hourMs,
  });

/** Saves a document with this many pages of 1,000 bytes. */
async function rendered(cache: ReturnType<typeof cacheOf>, name: string, pages = 2): Promise<string> {
  const renderingId = cache.idOf({ workspaceId: "ws_1", bytes: Buffer.from(name) }, "png");
  for (let number = 1; number <= pages; number++)
    await cache.savePicture({ renderingId, number, format: "png" }, Buffer.alloc(1_000), never);
  const page = { text: name, width: 1, height: 1 };
  await cache.savePageList(
    renderingId,
    Array.from({ length: pages }, () => page),
  );
  return renderingId;
}

test("finds a document until URLs of its pages could outlive the pages", async () => {
  const cache = cacheOf();
  const id = await rendered(cache, "beds");
  nowMs += 23 * hourMs - 1;
  expect(await cache.find(id, "png")).toHaveLength(2);
  nowMs += 1;
  expect(await cache.find(id, "png")).toBeUndefined();
  // The pages stay as long as their URLs are valid.
  nowMs += hourMs - 1;
  await cache.sweep(never);
  expect(await cache.sizeOf({ renderingId: id, number: 2, format: "png" })).toBe(1_000);
});

test("removes pages and their list after a day, and keeps younger ones", async () => {
  const cache = cacheOf();
  const old = await rendered(cache, "old");
  nowMs += hourMs;
  const young = await rendered(cache, "young");
  nowMs += 23 * hourMs;
  expect(await cache.sweep(never)).toBe(3);
  expect([...stored.keys()].filter((key) => key.includes(old))).toEqual([]);
  expect([...stored.keys()].filter((key) => key.includes(young))).toHaveLength(3);
  expect(await cache.sweep(never)).toBe(0);
});

test("removes the oldest documents above the size limit, and finds no half-removed document", async () => {
  const cache = cacheOf(4_000);
  const first = await rendered(cache, "first", 3);
  nowMs += 1_000;
  const second = await rendered(cache, "second", 2);
  await cache.sweep(never);
  const bytes = [...stored.values()].reduce((sum, each) => sum + each.bytes.length, 0);
  expect(bytes).toBeLessThanOrEqual(4_000);
  expect(await cache.find(first, "png")).toBeUndefined();
  expect(await cache.find(second, "png")).toHaveLength(2);
});

test("keeps a document that is rendered again during a sweep, and does not find a list without pages", async () => {
  const cache = cacheOf();
  const id = await rendered(cache, "beds");
  nowMs += 24 * hourMs;
  const list = blobs.list.bind(blobs);
  let isFirst = true;
  const racing: Blobs = {
    ...blobs,
    async *list(prefix) {
      yield* await Array.fromAsync(list(prefix));
      if (isFirst) {
        isFirst = false;
        nowMs += 1;
        await rendered(cache, "beds");
      }
    },
  };
  await createPageCache({
    blobs: racing,
    clock: { now: () => nowMs, sleep: async () => {} },
    bytesMax: 1_000_000,
    isRemovalScheduled: async () => false,
    linkMs: hourMs,
  }).sweep(never);
  expect(await cache.find(id, "png")).toHaveLength(2);
  for (const key of stored.keys()) if (key.includes("page-2")) stored.delete(key);
  expect(await cache.find(id, "png")).toBeUndefined();
});

test("removes nothing after the sweep is aborted, and nothing but pages", async () => {
  const cache = cacheOf(0);
  await rendered(cache, "beds");
  await blobs.put("kept/aa/file", Readable.from([Buffer.alloc(10)]), {});
  expect(await cache.sweep(AbortSignal.abort())).toBe(0);
  expect(stored.size).toBe(4);
  expect(await cache.sweep(never)).toBe(3);
  expect([...stored.keys()]).toEqual(["kept/aa/file"]);
});
