import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { beforeEach, expect, test } from "vitest";
import { BlobMissingError, type Blobs } from "#storage/blobs/blobs.ts";
import { createPageCache } from "./page-cache.ts";

const hourMs = 3_600_000;
const never = new AbortController().signal;

let nowMs = 0;
let kept: Map<string, { bytes: Buffer; changedAtMs: number }>;
beforeEach(() => {
  nowMs = Date.UTC(2026, 0, 1);
  kept = new Map();
});

/** A store whose times are those of the test's clock. */
const blobs: Blobs = {
  kind: "disk",
  async put(key, bytes) {
    const all = await buffer(bytes);
    kept.set(key, { bytes: all, changedAtMs: nowMs });
    return all.length;
  },
  size: async (key) => kept.get(key)?.bytes.length,
  async read(key) {
    const found = kept.get(key);
    if (found === undefined) throw new BlobMissingError(key);
    return Readable.from([found.bytes]);
  },
  remove: async (key) => void kept.delete(key),
  async *list(prefix) {
    for (const [key, { bytes, changedAtMs }] of kept)
      if (key.startsWith(prefix)) yield { key, sizeBytes: bytes.length, changedAtMs };
  },
  problem: () => undefined,
  close() {},
};

const cacheOf = (bytesMax = 1_000_000) =>
  createPageCache({
    blobs,
    clock: { now: () => nowMs, sleep: async () => {} },
    bytesMax,
    isToGo: async () => false,
    linkMs: hourMs,
  });

/** A document of so many pages of 1,000 bytes, drawn now. */
async function drawn(cache: ReturnType<typeof cacheOf>, name: string, pages = 2): Promise<string> {
  const drawingId = cache.idOf({ workspaceId: "ws_1", bytes: Buffer.from(name) }, "png");
  for (let number = 1; number <= pages; number++)
    await cache.keepPicture({ drawingId, number, format: "png" }, Buffer.alloc(1_000), never);
  const page = { text: name, width: 1, height: 1 };
  await cache.keepList(
    drawingId,
    Array.from({ length: pages }, () => page),
  );
  return drawingId;
}

test("a document is found until no address of its pages would outlive them", async () => {
  const cache = cacheOf();
  const id = await drawn(cache, "beds");
  nowMs += 23 * hourMs - 1;
  expect(await cache.find(id, "png")).toHaveLength(2);
  nowMs += 1;
  expect(await cache.find(id, "png")).toBeUndefined();
  // What was addressed a moment ago is there for as long as the address is good.
  nowMs += hourMs - 1;
  await cache.sweep(never);
  expect(await cache.sizeOf({ drawingId: id, number: 2, format: "png" })).toBe(1_000);
});

test("pages go after a day with their list, and younger ones stay", async () => {
  const cache = cacheOf();
  const old = await drawn(cache, "old");
  nowMs += hourMs;
  const young = await drawn(cache, "young");
  nowMs += 23 * hourMs;
  expect(await cache.sweep(never)).toBe(3);
  expect([...kept.keys()].filter((key) => key.includes(old))).toEqual([]);
  expect([...kept.keys()].filter((key) => key.includes(young))).toHaveLength(3);
  expect(await cache.sweep(never)).toBe(0);
});

test("where they take too much the oldest go, and a document that is half gone is not found", async () => {
  const cache = cacheOf(4_000);
  const first = await drawn(cache, "first", 3);
  nowMs += 1_000;
  const second = await drawn(cache, "second", 2);
  await cache.sweep(never);
  const bytes = [...kept.values()].reduce((sum, each) => sum + each.bytes.length, 0);
  expect(bytes).toBeLessThanOrEqual(4_000);
  expect(await cache.find(first, "png")).toBeUndefined();
  expect(await cache.find(second, "png")).toHaveLength(2);
});

test("a document that is drawn anew while the old one is cleared away stays, and a list without pages is none", async () => {
  const cache = cacheOf();
  const id = await drawn(cache, "beds");
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
        await drawn(cache, "beds");
      }
    },
  };
  await createPageCache({
    blobs: racing,
    clock: { now: () => nowMs, sleep: async () => {} },
    bytesMax: 1_000_000,
    isToGo: async () => false,
    linkMs: hourMs,
  }).sweep(never);
  expect(await cache.find(id, "png")).toHaveLength(2);
  for (const key of kept.keys()) if (key.includes("page-2")) kept.delete(key);
  expect(await cache.find(id, "png")).toBeUndefined();
});

test("a sweep that is stopped takes nothing more away, and touches nothing beside the pages", async () => {
  const cache = cacheOf(0);
  await drawn(cache, "beds");
  await blobs.put("kept/aa/file", Readable.from([Buffer.alloc(10)]), {});
  expect(await cache.sweep(AbortSignal.abort())).toBe(0);
  expect(kept.size).toBe(4);
  expect(await cache.sweep(never)).toBe(3);
  expect([...kept.keys()]).toEqual(["kept/aa/file"]);
});
